#include "eventstore/follow/followed_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_cursor.h"
#include "eventstore/recovery/recovery.h"

namespace cairn {
namespace {

// A server's table of readers: if we are the first to open the environment, it is we who make it.
constexpr unsigned kReaderSlots = lmdb::EnvOptions{}.readers_max + lmdb::EnvOptions{}.readers_beside;
constexpr int kLooksMax = 100;

Result<std::unique_ptr<lmdb::Env>> open_env(const std::filesystem::path& folder,
                                            const lmdb::EnvOptions& options, MDB_dbi& table) {
  CAIRN_TRY(auto env, lmdb::Env::open(folder, options));
  const std::array<lmdb::TableHandle, 1> tables{{{nullptr, &table}}};
  CAIRN_CHECK(env->open_tables(tables));
  return env;
}

bool same_header(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && a.size() >= BlockHeader::kBytes &&
         std::memcmp(a.data(), b.data(), BlockHeader::kBytes) == 0;
}

}  // namespace

// One follower of a log in a process.
class FollowedLog::Claim {
 public:
  using File = std::pair<dev_t, ino_t>;
  static std::unique_ptr<Claim> of(const File& file) {
    std::lock_guard lock(mutex());
    return files().insert(file).second ? std::unique_ptr<Claim>(new Claim(file)) : nullptr;
  }
  ~Claim() {
    std::lock_guard lock(mutex());
    files().erase(file_);
  }

 private:
  explicit Claim(const File& file) : file_(file) {}
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::set<File>& files() {
    static std::set<File> files;
    return files;
  }
  File file_;
};

Result<std::unique_ptr<FollowedLog>> FollowedLog::open(const std::filesystem::path& folder,
                                                       const Uuid& store_id,
                                                       const FollowedLogOptions& options) {
  std::unique_ptr<FollowedLog> log(new FollowedLog(folder));
  CAIRN_CHECK(log->open_files(options));
  CAIRN_TRY(log->end_, read_end(*log, store_id));
  log->settled_ = log->end_.last_position;
  if (log->settled_.value > 0) CAIRN_CHECK(check_owner(*log, store_id));
  return log;
}

FollowedLog::FollowedLog(std::filesystem::path folder) : folder_(std::move(folder)) {}

FollowedLog::~FollowedLog() = default;

Status FollowedLog::open_files(const FollowedLogOptions& options) {
  const std::filesystem::path data = folder_ / "data.mdb";
  const std::filesystem::path journal = folder_ / "journal";
  struct stat facts {};
  if (stat(data.c_str(), &facts) != 0) return system_error("looking at " + data.string(), errno);
  claim_ = Claim::of({facts.st_dev, facts.st_ino});
  if (claim_ == nullptr) {
    return make_error(Errc::kFailedPrecondition,
                      "this process follows the log in " + folder_.string() + " already; it can do so once");
  }
  const lmdb::EnvOptions env_options{.map_bytes = options.map_bytes,
                                     .readers_max = options.readers_max,
                                     .readers_beside = kReaderSlots - options.readers_max,
                                     .access = lmdb::Access::kReadOnly};
  auto env = open_env(folder_, env_options, table_);
  // The two meta pages are read one after the other, and beside a writer they may be of different times; and
  // it may enlarge the map just then. So a failure is believed when it stays.
  for (int look = 1; look < kLooksMax && !env.ok(); ++look) env = open_env(folder_, env_options, table_);
  CAIRN_TRY(env_, std::move(env));
  if (fdatasync(env_->file_descriptor()) != 0) return system_error("syncing " + data.string(), errno);
  CAIRN_TRY(journal_, JournalTail::open(journal));
  for (const auto& path : {data, journal}) {
    CAIRN_TRY(WatchedFile file, WatchedFile::at(path));
    files_.push_back(std::move(file));
  }
  return {};
}

Error FollowedLog::other_log(const std::string& what) const {
  Error error = make_error(Errc::kCorruption, "the log in " + folder_.string() +
                                                  " is not the one that was read so far: " + what +
                                                  ". Was it replaced by an older copy?");
  error.position = end_.last_position.value + 1;
  return error;
}

Status FollowedLog::look(LastBlock last, const BlockVisitor& take) {
  for (WatchedFile& file : files_) CAIRN_CHECK(file.check());
  CAIRN_CHECK(journal_->look(end_.last_position));  // before LMDB, by point 3
  CAIRN_CHECK(take_settled(take));
  return take_young(last, take);
}

Status FollowedLog::take_settled(const BlockVisitor& take) {
  GlobalPosition settled;
  {
    const YoungBlocks none;
    LmdbBlockCursor lmdb(*env_, table_, none);
    CAIRN_TRY(const auto last, lmdb.last());
    if (last) {
      CAIRN_TRY(const BlockHeader header, BlockHeader::read(last->bytes));
      settled = header.last_position();
    }
    if (settled < settled_) {
      return other_log("it ends at position " + std::to_string(settled.value) + " and had come to " +
                       std::to_string(settled_.value));
    }
    if (settled == settled_) return {};
    if (settled <= end_.last_position) {
      const auto ours = young_.find(settled);
      if (ours == nullptr || ours->last_position() != settled || !same_header(ours->bytes(), last->bytes))
        return other_log("the block that ends at position " + std::to_string(settled.value) + " is another");
    }
  }
  young_.drop_through(settled);
  if (settled > end_.last_position) {
    const GlobalPosition from{end_.last_position.value + 1};
    const BlockVisitor each = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
      CAIRN_CHECK(take_block(block, bytes, sha256(bytes), take));
      return true;
    };
    CAIRN_CHECK(scan_blocks(*this, from, settled, each));
  }
  settled_ = settled;
  return {};
}

Status FollowedLog::take_young(LastBlock last, const BlockVisitor& take) {
  BlockReader reader;
  for (bool first = true;; first = false) {
    const GlobalPosition next{end_.last_position.value + 1};
    const auto block = journal_->at(next);
    if (block == nullptr) return {};
    CAIRN_CHECK(reader.open(block->bytes(), BlockCheck::kWholeBlock));
    if (reader.header().previous_hash != end_.hash) {
      journal_->forget(next);  // it only looks like one of ours
      return {};
    }
    const Sha256 hash = sha256(block->bytes());
    const auto after = journal_->at({block->last_position().value + 1});
    const bool vouched = after != nullptr && after->previous_hash() == hash;
    if (!vouched) {
      if (!first && last == LastBlock::kMayWait) return {};
      CAIRN_CHECK(journal_->sync());
    }
    young_.add(block);
    CAIRN_CHECK(take_block(reader, block->bytes(), hash, take));
  }
}

Status FollowedLog::take_block(BlockReader& block, std::span<const std::byte> bytes, const Sha256& hash,
                               const BlockVisitor& take) {
  const BlockHeader& header = block.header();
  if (header.first_position.value != end_.last_position.value + 1 || header.previous_hash != end_.hash)
    return other_log("block " + std::to_string(header.first_position.value) + " does not continue it");
  CAIRN_TRY(const bool go_on, take(block, bytes));
  static_cast<void>(go_on);
  end_ = {.last_position = header.last_position(),
          .hash = hash,
          .epoch = header.epoch,
          .recorded_at = header.recorded_at};
  return {};
}

Status FollowedLog::append(GlobalPosition, std::uint64_t, std::span<const std::byte>) {
  return make_error(Errc::kFailedPrecondition, "this process only reads the log in " + folder_.string());
}

Result<std::unique_ptr<BlockCursor>> FollowedLog::cursor() {
  return std::unique_ptr<BlockCursor>(std::make_unique<LmdbBlockCursor>(*env_, table_, young_));
}

}  // namespace cairn

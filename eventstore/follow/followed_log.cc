#include "eventstore/follow/followed_log.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/mutex.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_cursor.h"
#include "eventstore/recovery/recovery.h"

namespace cairn {
namespace {

// As many as a server asks for: the first process that opens the environment creates the reader table.
constexpr unsigned kReaderSlots = lmdb::EnvOptions{}.readers_max + lmdb::EnvOptions{}.readers_beside;
constexpr int kOpenAttemptsMax = 100;

Result<std::unique_ptr<lmdb::Env>> open_env(const std::filesystem::path& folder,
                                            const lmdb::EnvOptions& options, MDB_dbi& table) {
  CAIRN_TRY(auto env, lmdb::Env::open(folder, options));
  const std::array<lmdb::TableHandle, 1> tables{{{nullptr, &table}}};
  CAIRN_CHECK(env->open_tables(tables));
  return env;
}

bool same_header(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && a.size() >= BlockHeader::kBytesMin &&
         std::memcmp(a.data(), b.data(), BlockHeader::kBytesMin) == 0;
}

}  // namespace

// Held while this process follows a log: at most one follower for each log file.
class FollowedLog::Claim {
 public:
  using File = std::pair<dev_t, ino_t>;
  static std::unique_ptr<Claim> of(const File& file) {
    const MutexLock lock(mutex_);
    return files_.insert(file).second ? std::unique_ptr<Claim>(new Claim(file)) : nullptr;
  }
  ~Claim() {
    const MutexLock lock(mutex_);
    files_.erase(file_);
  }

 private:
  explicit Claim(const File& file) : file_(file) {}

  static inline Mutex mutex_;
  static inline std::set<File> files_ CAIRN_GUARDED_BY(mutex_);
  const File file_;
};

Result<std::unique_ptr<FollowedLog>> FollowedLog::open(const std::filesystem::path& folder,
                                                       const Uuid& store_id,
                                                       const FollowedLogOptions& options) {
  std::unique_ptr<FollowedLog> log(new FollowedLog(folder));
  CAIRN_CHECK(log->open_files(options));
  CAIRN_TRY(log->end_, read_end(*log, store_id));
  log->settled_ = log->end_.place();
  if (log->settled_ > LogPlace{}) CAIRN_CHECK(check_owner(*log, store_id));
  return log;
}

FollowedLog::FollowedLog(std::filesystem::path folder) : folder_(std::move(folder)) {}

FollowedLog::~FollowedLog() = default;

Status FollowedLog::open_files(const FollowedLogOptions& options) {
  const std::filesystem::path data = folder_ / "data.mdb";
  const std::filesystem::path journal = folder_ / "journal";
  struct stat facts {};
  if (stat(data.c_str(), &facts) != 0) return system_error("stat of " + data.string(), errno);
  claim_ = Claim::of({facts.st_dev, facts.st_ino});
  if (claim_ == nullptr) {
    return make_error(Errc::kFailedPrecondition,
                      "this process already follows the log in " + folder_.string());
  }
  const lmdb::EnvOptions env_options{.map_bytes = options.map_bytes,
                                     .readers_max = options.readers_max,
                                     .readers_beside = kReaderSlots - options.readers_max,
                                     .access = lmdb::Access::kReadOnly};
  auto env = open_env(folder_, env_options, table_);
  // LMDB's two meta pages are read one after the other, so beside a writer they may be of different commits;
  // and the writer may grow the file meanwhile. So only a failure that repeats is one.
  for (int attempt = 1; attempt < kOpenAttemptsMax && !env.ok(); ++attempt)
    env = open_env(folder_, env_options, table_);
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
                                                  " is not the one followed so far: " + what +
                                                  ". Was it replaced by an older copy?");
  error.position = end_.last_position.value + 1;
  return error;
}

Status FollowedLog::poll(LastBlock last, const BlockVisitor& take) {
  for (WatchedFile& file : files_) CAIRN_CHECK(file.check());
  CAIRN_CHECK(journal_->poll(end_.place()));  // before LMDB: invariant 3
  CAIRN_CHECK(take_settled(take));
  return take_unsettled(last, take);
}

Status FollowedLog::take_settled(const BlockVisitor& take) {
  LogPlace settled;
  {
    const UnsettledBlocks none;
    LmdbBlockCursor lmdb(*env_, table_, none);
    CAIRN_TRY(const auto last, lmdb.last());
    if (last) {
      CAIRN_TRY(const BlockHeader header, BlockHeader::read(last->bytes));
      settled = header.end();
    }
    if (settled < settled_) {
      return other_log(fmt::format("it ends at position {} and ended at {} before", settled.position.value,
                                   settled_.position.value));
    }
    if (settled == settled_) return {};
    if (settled <= end_.place()) {  // invariant 4: LMDB has the block that was taken from the journal
      const auto ours = young_.ending_at(settled);
      if (ours == nullptr || !same_header(ours->bytes(), last->bytes))
        return other_log(
            fmt::format("the block that ends at position {} is another", settled.position.value));
    }
  }
  young_.drop_through(settled);
  if (settled > end_.place()) {
    const BlockVisitor each = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
      CAIRN_CHECK(take_block(block, bytes, sha256(bytes), take));
      return true;
    };
    CAIRN_CHECK(scan_between(*this, end_.place(), settled, each));
  }
  settled_ = settled;
  return {};
}

Status FollowedLog::take_unsettled(LastBlock last, const BlockVisitor& take) {
  BlockReader reader;
  for (bool first = true;; first = false) {
    const auto block = journal_->after(end_.place());
    if (block == nullptr) return {};
    CAIRN_CHECK(reader.open(block->bytes(), BlockCheck::kWholeBlock));
    if (reader.header().previous_hash != end_.hash) {
      journal_->forget(block);  // stale or forged: invariant 2
      return {};
    }
    const Sha256 hash = sha256(block->bytes());
    const auto after = journal_->after(block->end());
    const bool has_successor = after != nullptr && after->previous_hash() == hash;
    if (!has_successor) {  // invariant 1
      if (!first && last == LastBlock::kDefer) return {};
      CAIRN_CHECK(journal_->sync());
    }
    young_.add(block);
    CAIRN_CHECK(take_block(reader, block->bytes(), hash, take));
  }
}

Status FollowedLog::take_block(BlockReader& block, std::span<const std::byte> bytes, const Sha256& hash,
                               const BlockVisitor& take) {
  const BlockHeader& header = block.header();
  if (!header.follows(end_.place()) || header.previous_hash != end_.hash)
    return other_log(fmt::format("block {} does not continue it", header.first_position.value));
  CAIRN_TRY(const bool go_on, take(block, bytes));
  static_cast<void>(go_on);
  CAIRN_ASSERT(header.end() > end_.place(), header.last_position().value,
               end_.last_position.value);  // invariant 5
  end_ = {.last_position = header.last_position(),
          .number = header.end().number,
          .hash = hash,
          .epoch = header.epoch,
          .recorded_at = header.recorded_at};
  return {};
}

Result<std::unique_ptr<BlockCursor>> FollowedLog::cursor() {
  return std::unique_ptr<BlockCursor>(std::make_unique<LmdbBlockCursor>(*env_, table_, young_));
}

}  // namespace cairn

#include "eventstore/log/lmdb_block_log.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_cursor.h"

namespace cairn {
namespace {

// Pages a commit takes beside the blocks: new paths through the tree and the list of free pages.
constexpr std::uint64_t kCommitSlackBytes = 256u << 10;
constexpr std::uint64_t kAllocateBytes = 16u << 20;

// A block this large writes so much that writing it twice would cost more than LMDB's second sync.
constexpr std::size_t kLargeBlockBytes = 2u << 20;

// Young blocks settle when they are this many bytes or this old.
constexpr std::size_t kSettleBytes = 4u << 20;
constexpr std::chrono::milliseconds kSettleAfter{200};
constexpr std::chrono::seconds kRetryAfter{1};
constexpr int kLooksMax = 100;

std::filesystem::path journal_of(const std::filesystem::path& folder) { return folder / "journal"; }

// Generous while the disk is. Near its end a file system may give a failed request what was left and keep it.
std::uint64_t allocation_step(int descriptor) {
  struct statvfs disk {};
  if (fstatvfs(descriptor, &disk) != 0) return 0;
  return disk.f_bavail * disk.f_frsize > 8 * kAllocateBytes ? kAllocateBytes : 0;
}

int put(MDB_txn* txn, MDB_dbi table, const BlockCopy& block) {
  unsigned char position[8];
  store_be64(position, block.first_position().value);
  MDB_val key{sizeof position, position};
  MDB_val value{block.bytes().size(), nullptr};
  const int code = mdb_put(txn, table, &key, &value, MDB_APPEND | MDB_RESERVE);
  if (code == 0) std::memcpy(value.mv_data, block.bytes().data(), block.bytes().size());
  return code;
}

}  // namespace

Status LmdbBlockLog::create(const std::filesystem::path& folder, const LmdbBlockLogOptions& options) {
  CAIRN_CHECK(make_folder(folder));
  CAIRN_CHECK(lmdb::Env::open(folder, {.map_bytes = options.map_bytes}));
  CAIRN_CHECK(Journal::create(journal_of(folder), options.journal_bytes));
  return sync_folder(folder);
}

Result<std::unique_ptr<LmdbBlockLog>> LmdbBlockLog::open(const std::filesystem::path& folder,
                                                         const LmdbBlockLogOptions& options) {
  const std::filesystem::path file = folder / "data.mdb";
  const bool writable = options.access == lmdb::Access::kReadWrite;
  CAIRN_CHECK(lmdb::check_file(file));
  if (writable) CAIRN_CHECK(lmdb::check_trees(file, lmdb::TreeCheck::kAtOpen));
  std::unique_ptr<LmdbBlockLog> log(new LmdbBlockLog);
  log->folder_ = folder;
  log->writable_ = writable;
  CAIRN_TRY(log->env_, lmdb::Env::open(folder, {.map_bytes = options.map_bytes,
                                                .tables_max = 0,
                                                .readers_max = options.readers_max,
                                                .access = options.access}));
  const std::array<lmdb::TableHandle, 1> table{{{nullptr, &log->table_}}};
  CAIRN_CHECK(log->env_->open_tables(table));
  CAIRN_TRY(log->file_bytes_, file_size(log->env_->file_descriptor(), file));
  CAIRN_TRY(log->journal_, Journal::open(journal_of(folder), writable ? Journal::Access::kReadWrite
                                                                      : Journal::Access::kReadOnly));
  CAIRN_CHECK(log->recover_journal());
  if (!writable) return log;
  if (const Status settled = log->settle(nullptr); !settled.ok()) {
    if (settled.error().code != Errc::kDiskFull) return settled.error();
    log->journal_->hold_until(log->end_);  // reading goes on, and appending when there is space
  }
  log->settler_ = std::thread([raw = log.get()] { raw->run(); });
  return log;
}

// What the journal has beyond LMDB's end was durable when the process died, and becomes young again.
Status LmdbBlockLog::recover_journal() {
  CAIRN_CHECK(read_end());
  auto blocks = journal_->blocks_after(end_);
  // Beside a server that writes, blocks may settle between our two looks; then we look again.
  for (int attempt = 0; !writable_ && !blocks.ok() && attempt < kLooksMax; ++attempt) {
    CAIRN_CHECK(read_end());
    blocks = journal_->blocks_after(end_);
  }
  if (!blocks.ok()) return blocks.error();
  settled_ = end_;
  for (const auto& block : *blocks) {
    CAIRN_TRY(const BlockHeader header, BlockHeader::read(block->bytes()));
    if (end_.value > 0 && header.previous_hash != end_hash_) {
      return make_error(Errc::kCorruption, "the journal in " + folder_.string() +
                                               " does not continue the log: block " +
                                               std::to_string(header.first_position.value));
    }
    end_ = block->last_position();
    end_hash_ = sha256(block->bytes());
    epoch_ = block->epoch();
    young_.add(block);
  }
  return {};
}

// The end of what is in LMDB.
Status LmdbBlockLog::read_end() {
  LmdbBlockCursor cursor(*env_, table_, young_);
  CAIRN_TRY(const auto last, cursor.last());
  if (!last) return {};
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(last->bytes));
  end_ = header.last_position();
  end_hash_ = sha256(last->bytes);
  epoch_ = header.epoch;
  return {};
}

LmdbBlockLog::~LmdbBlockLog() {
  if (!settler_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  settler_.join();
  // If this fails the journal has the blocks, and the next start brings them home.
  static_cast<void>(settle(nullptr));
}

Status LmdbBlockLog::check_end(GlobalPosition first_position, std::uint64_t epoch) const {
  if (epoch_ > epoch) {
    return make_error(Errc::kFailedPrecondition, "another writer has taken over: the log is at epoch " +
                                                     std::to_string(epoch_) + ", this writer at " +
                                                     std::to_string(epoch));
  }
  if (end_.value + 1 != first_position.value) {
    return make_error(Errc::kFailedPrecondition, "the log ends at position " + std::to_string(end_.value) +
                                                     ", a block for " + std::to_string(first_position.value) +
                                                     " does not follow");
  }
  return {};
}

Status LmdbBlockLog::append(GlobalPosition first_position, std::uint64_t epoch,
                            std::span<const std::byte> block) {
  CAIRN_CHECK(check_end(first_position, epoch));
  if (broken_.load()) return given_up();
  CAIRN_TRY(auto copy, BlockCopy::of(block));
  const bool directly = block.size() >= kLargeBlockBytes ||
                        copy->pages().size() > journal_->block_bytes_max() || copy->has_page_like_a_block();
  CAIRN_CHECK(directly ? write_directly(*copy) : write_journal(*copy));
  end_ = copy->last_position();
  epoch_ = epoch;
  if (directly) return {};
  young_.add(std::move(copy));
  {
    std::lock_guard lock(mutex_);
    wanted_ = wanted_ || young_.bytes() >= kSettleBytes;
    if (!settler_sleeps_ && !wanted_) return {};
  }
  changed_.notify_all();
  return {};
}

Status LmdbBlockLog::write_journal(const BlockCopy& block) {
  if (!journal_->has_room(block)) {
    CAIRN_CHECK(wait_for_room(journal_->other_half_end()));
    journal_->turn_over();
  }
  return journal_->write(block);
}

// Waits until everything up to `position` is in LMDB.
Status LmdbBlockLog::wait_for_room(GlobalPosition position) {
  std::unique_lock lock(mutex_);
  if (settled_ >= position) return {};
  if (broken_.load()) return given_up();
  failure_.reset();  // a full disk may have room again: let it be tried anew
  wanted_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return settled_ >= position || failure_; });
  if (settled_ >= position) return {};
  return broken_.load() ? given_up() : *failure_;
}

Status LmdbBlockLog::write_directly(const BlockCopy& block) {
  std::lock_guard writing(settle_mutex_);
  return settle(&block);
}

Status LmdbBlockLog::make_space(std::uint64_t bytes) {
  const std::uint64_t need = bytes + kCommitSlackBytes;
  while (env_->used_bytes() + need > env_->map_bytes()) CAIRN_CHECK(env_->grow());
  // Space the file has cannot run out in the middle of a commit.
  while (env_->used_bytes() + need > file_bytes_) {
    const std::uint64_t missing = env_->used_bytes() + need - file_bytes_;
    const std::uint64_t more = std::max(missing, allocation_step(env_->file_descriptor()));
    const auto from = static_cast<off_t>(file_bytes_);
    if (fallocate(env_->file_descriptor(), 0, from, static_cast<off_t>(more)) != 0) {
      if (errno == EOPNOTSUPP) return {};
      return system_error("extending " + env_->name() + "/data.mdb", errno);
    }
    file_bytes_ += more;
  }
  return {};
}

Error LmdbBlockLog::given_up() const {
  return make_error(Errc::kFailedPrecondition,
                    "a commit to the log " + env_->name() + " failed; only a new start helps");
}

Status LmdbBlockLog::settle(const BlockCopy* extra) {
  if (broken_.load()) return given_up();
  const auto blocks = young_.all();
  std::uint64_t bytes = extra != nullptr ? extra->pages().size() : 0;
  for (const auto& block : blocks) bytes += block->pages().size() + lmdb::kPageBytes;
  if (bytes == 0) return {};
  CAIRN_CHECK(make_space(bytes));
  try {
    CAIRN_TRY(lmdb::WriteTxn txn, env_->begin_write());
    int code = 0;
    for (auto block = blocks.begin(); code == 0 && block != blocks.end(); ++block)
      code = put(txn.get(), table_, **block);
    if (code == 0 && extra != nullptr) code = put(txn.get(), table_, *extra);
    if (code != 0) return lmdb::lmdb_error("writing the log " + env_->name(), code);
    code = txn.commit();
    if (code != 0) {
      broken_.store(true);  // never tried again; what is young is safe in the journal
      Error error = lmdb::lmdb_error("committing to the log " + env_->name(), code);
      error.code = Errc::kOutcomeUnknown;
      return error;
    }
  } catch (const lmdb::BrokenStructure& broken) {
    broken_.store(true);
    return make_error(Errc::kOutcomeUnknown, "the log " + env_->name() + " is damaged: " + broken.what());
  }
  const GlobalPosition last = extra != nullptr ? extra->last_position() : blocks.back()->last_position();
  young_.drop_through(last);
  {
    std::lock_guard lock(mutex_);
    settled_ = last;
  }
  changed_.notify_all();
  return {};
}

void LmdbBlockLog::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (failure_) {
      changed_.wait_for(lock, kRetryAfter, [this] { return stopping_ || wanted_; });
    } else if (young_.bytes() == 0) {
      settler_sleeps_ = true;
      changed_.wait(lock, [this] { return stopping_ || young_.bytes() > 0; });
      settler_sleeps_ = false;
    } else {
      changed_.wait_for(lock, kSettleAfter, [this] { return stopping_ || wanted_; });
    }
    if (stopping_) return;
    wanted_ = false;
    lock.unlock();
    Status status;
    {
      std::lock_guard writing(settle_mutex_);
      status = settle(nullptr);
    }
    lock.lock();
    failure_ = status.ok() ? std::nullopt : std::optional(status.error());
    changed_.notify_all();
    if (broken_.load()) return;
  }
}

Result<std::unique_ptr<BlockCursor>> LmdbBlockLog::cursor() {
  return std::unique_ptr<BlockCursor>(std::make_unique<LmdbBlockCursor>(*env_, table_, young_));
}

}  // namespace cairn

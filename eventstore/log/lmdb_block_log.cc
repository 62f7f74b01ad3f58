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

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_cursor.h"

namespace cairn {
namespace {

// Pages that a commit needs in addition to the blocks: copied branch pages and the list of free pages.
constexpr std::uint64_t kCommitSlackBytes = 256u << 10;
constexpr std::uint64_t kAllocateBytes = 16u << 20;

// From this size on, writing a block twice costs more than LMDB's second sync.
constexpr std::size_t kLargeBlockBytes = 2u << 20;

// Blocks settle when there are this many bytes of them, or after this time. While LMDB syncs, a sync of the journal
// takes longer: with 4 MiB 2 ms instead of 0.1, and no more events are written in all.
constexpr std::size_t kSettleBytes = 512u << 10;
constexpr std::chrono::milliseconds kSettleAfter{200};
constexpr std::chrono::seconds kRetryAfter{1};
constexpr int kReadAttemptsMax = 100;

std::filesystem::path journal_of(const std::filesystem::path& folder) { return folder / "journal"; }

// How much to allocate beyond the need. 0 on a nearly full disk, where a failed fallocate() may keep the
// space that it got.
std::uint64_t allocation_step(int descriptor) {
  struct statvfs disk {};
  if (fstatvfs(descriptor, &disk) != 0) return 0;
  return disk.f_bavail * disk.f_frsize > 8 * kAllocateBytes ? kAllocateBytes : 0;
}

int put(MDB_txn* txn, MDB_dbi table, const BlockCopy& block) {
  const std::string key = LmdbBlockCursor::key_of(block.header());
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value{block.bytes().size(), nullptr};
  const int code = mdb_put(txn, table, &key_val, &value, MDB_APPEND | MDB_RESERVE);
  if (code == 0) std::memcpy(value.mv_data, block.bytes().data(), block.bytes().size());
  return code;
}

}  // namespace

Status LmdbBlockLog::create(const std::filesystem::path& folder, const LmdbBlockLogOptions& options) {
  CAIRN_CHECK(make_folder(folder));
  CAIRN_CHECK(lmdb::Env::open(folder, {.map_bytes = options.map_bytes}));
  CAIRN_CHECK(Journal::create(journal_of(folder), options.journal_bytes, options.format));
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
  const MutexLock writing(log->settle_mutex_);
  CAIRN_TRY(log->file_bytes_, file_size(log->env_->file_descriptor(), file));
  CAIRN_TRY(log->journal_, Journal::open(journal_of(folder), writable ? Journal::Access::kReadWrite
                                                                      : Journal::Access::kReadOnly));
  CAIRN_CHECK(log->recover_journal());
  if (!writable) return log;
  // A process that was killed before its sync may have left a block in the page cache only. It is served, and
  // a repeat of it is acknowledged, also when it cannot settle because the disk is full: so it is synced now.
  if (log->unsettled_.bytes() > 0) CAIRN_CHECK(log->journal_->sync());
  if (const Status settled = log->settle(nullptr); !settled.ok()) {
    if (settled.error().code != Errc::kDiskFull) return settled.error();
    log->journal_->mark_full(log->end_);  // reads work; appends work again when the blocks can settle
  }
  log->settler_.start({.name = "cairn-settle", .wake = wake_all(log->mutex_, log->changed_)},
                      [raw = log.get()](const std::stop_token& stop) { raw->run(stop); });
  return log;
}

// Blocks in the journal after LMDB's last one were durable when the process died. They become unsettled
// blocks.
Status LmdbBlockLog::recover_journal() {
  CAIRN_CHECK(read_end());
  auto blocks = journal_->blocks_after(end_);
  // A reader tries again: a server may settle blocks and overwrite the journal between the two reads.
  for (int attempt = 0; !writable_ && !blocks.ok() && attempt < kReadAttemptsMax; ++attempt) {
    CAIRN_CHECK(read_end());
    blocks = journal_->blocks_after(end_);
  }
  if (!blocks.ok()) return blocks.error();
  {
    const MutexLock lock(mutex_);
    settled_ = end_;
  }
  for (const auto& block : *blocks) {
    CAIRN_TRY(const BlockHeader header, BlockHeader::read(block->bytes()));
    if (end_ > LogPlace{} && header.previous_hash != end_hash_) {
      return make_error(Errc::kCorruption,
                        fmt::format("the journal in {} does not continue the log: block {} names another "
                                    "previous block",
                                    folder_.string(), header.first_position.value));
    }
    end_ = block->end();
    end_hash_ = sha256(block->bytes());
    epoch_ = block->epoch();
    unsettled_.add(block);
  }
  return {};
}

// Reads end, hash and epoch of the last block in LMDB.
Status LmdbBlockLog::read_end() {
  LmdbBlockCursor cursor(*env_, table_, unsettled_);
  CAIRN_TRY(const auto last, cursor.last());
  if (!last) return {};
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(last->bytes));
  end_ = header.end();
  end_hash_ = sha256(last->bytes);
  epoch_ = header.epoch;
  return {};
}

LmdbBlockLog::~LmdbBlockLog() {
  if (!settler_.runs()) return;
  settler_.stop();
  const MutexLock writing(settle_mutex_);
  // On failure the blocks are still in the journal, and the next open() settles them.
  static_cast<void>(settle(nullptr));
}

Status LmdbBlockLog::check_end(const LogPlace& end, std::uint64_t epoch) const {
  if (epoch_ > epoch) {
    return make_error(Errc::kFailedPrecondition,
                      fmt::format("another writer has taken over: the log is at epoch {}, this writer at {}",
                                  epoch_, epoch));
  }
  if (end_ != end) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("the log ends at position {}, number {}; a block behind position {}, number {} does "
                    "not follow",
                    end_.position.value, end_.number, end.position.value, end.number));
  }
  return {};
}

Status LmdbBlockLog::append(const LogPlace& end, std::uint64_t epoch, std::span<const std::byte> block) {
  CAIRN_CHECK(check_end(end, epoch));
  if (broken_.load()) return broken_error();
  CAIRN_TRY(auto copy, BlockCopy::of(block));
  CAIRN_ASSERT(copy->header().follows(end), copy->first_position().value, end.position.value);
  const bool directly = block.size() >= kLargeBlockBytes ||
                        copy->pages().size() > journal_->block_bytes_max() || copy->has_page_like_a_block();
  CAIRN_CHECK(directly ? write_directly(*copy) : write_journal(*copy));
  end_ = copy->end();
  epoch_ = epoch;
  if (directly) return {};
  unsettled_.add(std::move(copy));
  {
    const MutexLock lock(mutex_);
    settle_wanted_ = settle_wanted_ || unsettled_.bytes() >= kSettleBytes;
    if (!waits_for_blocks_ && !settle_wanted_) return {};  // the thread wakes by its timeout
  }
  changed_.notify_all();
  return {};
}

Status LmdbBlockLog::write_journal(const BlockCopy& block) {
  if (!journal_->has_room(block)) {
    CAIRN_TRY(const LogPlace settled, wait_until_settled(journal_->other_half_end()));
    journal_->switch_half(settled);
  }
  return journal_->write(block);
}

Result<LogPlace> LmdbBlockLog::wait_until_settled(const LogPlace& place) {
  MutexLock lock(mutex_);
  if (settled_ >= place) return settled_;
  if (broken_.load()) return broken_error();
  failure_.reset();  // the disk may have space again: make the thread try once more
  settle_wanted_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&]() CAIRN_REQUIRES(mutex_) { return settled_ >= place || failure_; });
  if (settled_ >= place) return settled_;
  return broken_.load() ? broken_error() : *failure_;
}

Status LmdbBlockLog::write_directly(const BlockCopy& block) {
  const MutexLock writing(settle_mutex_);
  return settle(&block);
}

Status LmdbBlockLog::make_space(std::uint64_t bytes) {
  const std::uint64_t need = bytes + kCommitSlackBytes;
  while (env_->used_bytes() + need > env_->map_bytes()) CAIRN_CHECK(env_->grow());
  // The commit then writes to allocated disk blocks, so the disk cannot become full in the middle of it.
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

Error LmdbBlockLog::broken_error() const {
  return make_error(Errc::kFailedPrecondition,
                    "a commit to the log " + env_->name() + " failed; the server must be restarted");
}

Status LmdbBlockLog::settle(const BlockCopy* extra) {
  if (broken_.load()) return broken_error();
  const auto blocks = unsettled_.all();
  std::uint64_t bytes = extra != nullptr ? extra->pages().size() : 0;
  for (const auto& block : blocks) bytes += block->pages().size() + lmdb::kPageBytes;
  if (bytes == 0) return {};
  CAIRN_ASSERT(extra == nullptr || blocks.empty() || extra->header().follows(blocks.back()->end()),
               blocks.size());
  CAIRN_CHECK(make_space(bytes));
  try {
    CAIRN_TRY(lmdb::WriteTxn txn, env_->begin_write());
    int code = 0;
    for (auto block = blocks.begin(); code == 0 && block != blocks.end(); ++block)
      code = put(txn.get(), table_, **block);
    if (code == 0 && extra != nullptr) code = put(txn.get(), table_, *extra);
    if (code != 0) return lmdb::lmdb_error("writing the log " + env_->name(), code);
    code = txn.commit();
    if (code != 0) return failed_commit(code);
  } catch (const lmdb::BrokenStructure& broken) {
    broken_.store(true);
    return make_error(Errc::kOutcomeUnknown, "the log " + env_->name() + " is damaged: " + broken.what());
  }
  const LogPlace last = extra != nullptr ? extra->end() : blocks.back()->end();
  unsettled_.drop_through(last);
  {
    const MutexLock lock(mutex_);
    settled_ = last;
  }
  changed_.notify_all();
  return {};
}

// LMDB writes and syncs the pages of a commit before its meta page, and gives the environment up when the meta
// page cannot be written. So after a full disk (which make_space() cannot exclude for sparse and reflinked
// files) in an environment that can still be written, nothing was committed, and the next attempt writes all
// of its pages again. After any other failure there is no second attempt; the unsettled blocks are durable in
// the journal.
Error LmdbBlockLog::failed_commit(int code) {
  Error error =
      lmdb::lmdb_error("committing to the log " + env_->name(), lmdb::meant_code(code, env_->name()));
  if (error.code == Errc::kDiskFull && env_->begin_write().ok()) return error;
  broken_.store(true);
  error.code = Errc::kOutcomeUnknown;
  return error;
}

// The body of cairn-settle. It waits, with the first that applies: after a failure, for a retry; without
// blocks, for the first one; else for more blocks, so that one commit takes many.
void LmdbBlockLog::run(const std::stop_token& stop) {
  const auto wanted = [&]() CAIRN_REQUIRES(mutex_) { return stop.stop_requested() || settle_wanted_; };
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (failure_) {
      changed_.wait_for(lock, kRetryAfter, wanted);
    } else if (unsettled_.bytes() == 0) {
      waits_for_blocks_ = true;
      changed_.wait(lock, [&] { return stop.stop_requested() || unsettled_.bytes() > 0; });
      waits_for_blocks_ = false;
    } else {
      changed_.wait_for(lock, kSettleAfter, wanted);
    }
    if (stop.stop_requested()) return;
    settle_wanted_ = false;
    lock.unlock();
    Status status;
    {
      const MutexLock writing(settle_mutex_);
      status = settle(nullptr);
    }
    lock.lock();
    failure_ = status.ok() ? std::nullopt : std::optional(status.error());
    changed_.notify_all();
    if (broken_.load()) return;
  }
}

Result<std::unique_ptr<BlockCursor>> LmdbBlockLog::cursor() {
  return std::unique_ptr<BlockCursor>(std::make_unique<LmdbBlockCursor>(*env_, table_, unsettled_));
}

}  // namespace cairn

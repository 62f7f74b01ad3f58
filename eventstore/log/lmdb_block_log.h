#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/mutex.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/journal.h"
#include "eventstore/log/unsettled_blocks.h"

namespace cairn {

struct LmdbBlockLogOptions {
  std::uint64_t map_bytes = 64ull << 30;
  std::uint64_t journal_bytes = 32ull << 20;  // for create(); an existing journal keeps its size
  LogFormat format = kNewestLogFormat;        // for create(): of the blocks to come
  unsigned readers_max = 1'000;
  lmdb::Access access = lmdb::Access::kReadWrite;
};

// The log of a local store: blocks in the unnamed table of an LMDB environment (key: first position,
// big-endian), with a journal as write-ahead log in front. LMDB commits use its default sync mode, never
// MDB_NOSYNC or MDB_NOMETASYNC.
//
// A small block becomes durable in the journal with one sync. The thread cairn-settle moves it to LMDB soon
// after, many blocks in one commit: the blocks "settle", as in a checkpoint. Until then readers get it from
// memory. A block of 2 MiB or more is committed to LMDB directly, together with all unsettled blocks before
// it, because writing it twice would cost more than the second sync.
//
// append() from one thread at a time; everything else is thread-safe.
class LmdbBlockLog final : public BlockLog {
 public:
  // Makes an empty log in `folder`, durably.
  static Status create(const std::filesystem::path& folder, const LmdbBlockLogOptions& options);

  // Opens the log in `folder` and settles the blocks that a crash left in the journal; with kReadOnly they
  // stay there and are read from memory. On a full disk they stay there too, and are synced before they are
  // read. Fails with kCorruption for damaged or missing files.
  static Result<std::unique_ptr<LmdbBlockLog>> open(const std::filesystem::path& folder,
                                                    const LmdbBlockLogOptions& options);

  // Settles the unsettled blocks.
  ~LmdbBlockLog() override;

  Status append(const LogPlace& end, std::uint64_t epoch, std::span<const std::byte> block) override;
  Result<std::unique_ptr<BlockCursor>> cursor() override;

  // Call it before blocks of a newer format than before are appended, from the thread that appends.
  Status raise_format(LogFormat format) { return journal_->raise_format(format); }
  std::uint64_t used_bytes() const override { return env_->used_bytes() + unsettled_.bytes(); }
  unsigned open_readers() const override { return env_->open_readers(); }
  void clear_dead_readers() override { env_->clear_dead_readers(); }

 private:
  LmdbBlockLog() = default;
  Status recover_journal() CAIRN_EXCLUDES(mutex_);
  Status read_end();
  Status check_end(const LogPlace& end, std::uint64_t epoch) const;
  Status write_journal(const BlockCopy& block) CAIRN_EXCLUDES(mutex_);
  Status write_directly(const BlockCopy& block) CAIRN_EXCLUDES(settle_mutex_, mutex_);

  // Blocks until everything up to `place` is in LMDB, and returns the end of what is.
  Result<LogPlace> wait_until_settled(const LogPlace& place) CAIRN_EXCLUDES(mutex_);

  // Commits the unsettled blocks and then `extra`, if not null, to LMDB in one transaction.
  Status settle(const BlockCopy* extra) CAIRN_REQUIRES(settle_mutex_) CAIRN_EXCLUDES(mutex_);

  // Extends the map and the file by what a commit of `bytes` may need.
  Status make_space(std::uint64_t bytes) CAIRN_REQUIRES(settle_mutex_);
  Error broken_error() const;
  // The error of a commit that failed with LMDB's `code`. Stops all further writing unless it is kDiskFull.
  Error failed_commit(int code) CAIRN_REQUIRES(settle_mutex_);
  void run(const std::stop_token& stop) CAIRN_EXCLUDES(settle_mutex_, mutex_);

  std::filesystem::path folder_;
  bool writable_ = false;
  std::unique_ptr<lmdb::Env> env_;
  MDB_dbi table_ = 0;

  // Used by the thread that appends, and while opening.
  std::unique_ptr<Journal> journal_;
  LogPlace end_;
  Sha256 end_hash_{};  // of the block that ends there; only while opening
  std::uint64_t epoch_ = 0;

  UnsettledBlocks unsettled_;
  std::atomic<bool> broken_ = false;  // an LMDB commit failed; never reset

  Mutex settle_mutex_;  // held during an LMDB write transaction; acquired before mutex_
  std::uint64_t file_bytes_ CAIRN_GUARDED_BY(settle_mutex_) = 0;

  Mutex mutex_;
  CondVar changed_;
  LogPlace settled_ CAIRN_GUARDED_BY(mutex_);               // the end of LMDB
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);   // of the last attempt to settle
  bool settle_wanted_ CAIRN_GUARDED_BY(mutex_) = false;     // do not wait for kSettleAfter
  bool waits_for_blocks_ CAIRN_GUARDED_BY(mutex_) = false;  // the thread sleeps without a timeout
  BackgroundThread settler_;
};

}  // namespace cairn

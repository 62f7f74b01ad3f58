#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/follow/journal_tail.h"
#include "eventstore/follow/watched_file.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_end.h"
#include "eventstore/log/unsettled_blocks.h"
#include "eventstore/read/log_scan.h"

namespace cairn {

struct FollowedLogOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned readers_max = 64;
};

// The log of a store that another process may be writing: read, never written. It ends where the last poll()
// found its end. cursor() from any thread; everything else from one thread at a time.
//
// Invariants:
//  1. Every block is durable before it is taken. LMDB shows a commit once it is synced; what a dead process
//     may have left unsynced in LMDB's file is synced once, in open(). A block in the journal is durable
//     when the next one has been written, because the writer syncs in between; for the last block poll()
//     syncs the journal itself. (Syncing a file that another process wrote needs no write permission.)
//  2. Blocks are taken in order, each only if it names the hash of the block before. A damaged, torn or
//     forged block, and a stale one of an earlier round of the journal, cannot be taken.
//  3. There is no gap between journal and LMDB. A place in the journal is reused only when its block is in
//     LMDB. So a reader that looks into the journal first and into LMDB afterwards finds each block that was
//     durable before, in one or the other. A block found behind a gap was written meanwhile, and waits for
//     the next poll.
//  4. A taken block stays in memory until LMDB has it, and then equals the block in LMDB. So it can be read
//     for ever, whatever happens to the writer.
//  5. The end never goes back. A log that ends earlier, or continues from another block than ours, is not the
//     log that was followed: kCorruption.
//
// A process killed between writing and syncing leaves a block that the next writer recovers, and poll()
// takes it too. Only a disk that answers a sync with an error and then loses the page may make the next
// writer see less; invariant 5 detects that. See docs/decisions.md, "A follower process reads the journal
// and LMDB, and verifies the hash chain".
class FollowedLog final : public BlockSource {
 public:
  // Opens the log in `folder`. It ends where LMDB ends: the blocks in the journal come with the first poll().
  // Fails with kCorruption for damaged files, and kFailedPrecondition when this process follows it already:
  // LMDB's file locks belong to the process, and closing one of two environments would drop those of the
  // other.
  static Result<std::unique_ptr<FollowedLog>> open(const std::filesystem::path& folder, const Uuid& store_id,
                                                   const FollowedLogOptions& options);
  ~FollowedLog() override;

  // What poll() does with a last block that is not known to be durable. A sync slows the writer down. So
  // while several blocks come at once the last one is deferred to the next poll, which most likely finds a
  // block after it and needs no sync.
  enum class LastBlock { kDefer, kSync };

  // Takes the blocks that have become durable since the last poll, and calls `take` with each. After an
  // error the log ends behind the last block that was taken. Fails with kIo, and with kCorruption when an
  // invariant is broken or `take` fails with it; after kCorruption it may not be called again.
  Status poll(LastBlock last, const BlockVisitor& take);

  // Where the log ends: everything up to there can be read.
  const LogEnd& end() const { return end_; }

  Result<std::unique_ptr<BlockCursor>> cursor() override;

 private:
  class Claim;
  explicit FollowedLog(std::filesystem::path folder);
  Status open_files(const FollowedLogOptions& options);
  Status take_settled(const BlockVisitor& take);
  Status take_unsettled(LastBlock last, const BlockVisitor& take);
  Status take_block(BlockReader& block, std::span<const std::byte> bytes, const Sha256& hash,
                    const BlockVisitor& take);
  Error other_log(const std::string& what) const;

  std::filesystem::path folder_;
  std::unique_ptr<Claim> claim_;
  std::unique_ptr<lmdb::Env> env_;
  MDB_dbi table_ = 0;
  std::unique_ptr<JournalTail> journal_;
  std::vector<WatchedFile> files_;
  UnsettledBlocks young_;
  LogPlace settled_;  // the end of LMDB at the last poll
  LogEnd end_;
};

}  // namespace cairn

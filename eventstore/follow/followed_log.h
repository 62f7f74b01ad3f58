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
#include "eventstore/log/young_blocks.h"
#include "eventstore/read/log_scan.h"

namespace cairn {

struct FollowedLogOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned readers_max = 64;
};

// The log of a store that another process may be writing: read, and never written. It ends where look() has
// come to. Cursors from any thread; everything else from one at a time.
//
// What holds:
//  1. Every block is durable before it is taken. LMDB shows a commit when it is synced; what a dead process
//     may have left unsynced there is synced once, when we open. A block in the journal is durable when the
//     one after it has been written, for the writer syncs in between; for the last one we sync the journal
//     ourselves. (A sync of a file that others have written needs no right to write.)
//  2. Blocks are taken in order, each only if it names the hash of the one before. A damaged, half-written or
//     foreign block, and one of an earlier round of the journal, cannot be taken.
//  3. There is no gap between journal and LMDB. A place in the journal is written anew only when its block is
//     in LMDB; so whoever looks into the journal first and into LMDB afterwards has each block that was
//     durable before, in one or the other. A block found behind a gap was written during the look, and waits.
//  4. What was taken is kept in memory until LMDB has it, and is then the very block LMDB has. So it can be
//     read for ever, whatever becomes of the writer.
//  5. The end never goes back. A log that ends earlier, or goes on from another block than ours, is not the
//     log we followed: kCorruption.
//
// A process killed between writing and syncing leaves a block that the next writer brings home, as we do.
// Only a disk that answers a sync with an error and loses the page may make the next writer see less; the
// fifth point finds that.
class FollowedLog final : public BlockLog {
 public:
  // Opens the log in `folder`. It ends where LMDB ends: what is in the journal comes with the first look().
  // Fails with kCorruption for damaged files, and kFailedPrecondition when this process follows it already:
  // LMDB's locks are the process's, and closing one of two environments would drop those of the other.
  static Result<std::unique_ptr<FollowedLog>> open(const std::filesystem::path& folder, const Uuid& store_id,
                                                   const FollowedLogOptions& options);
  ~FollowedLog() override;

  // What to do with a last block that nothing vouches for yet. A sync costs the writer something, so while
  // blocks come in numbers the last one is left to the next look, which most likely needs none.
  enum class LastBlock { kMayWait, kTake };

  // Takes what has become durable since the last look, and calls `take` with each block. After an error the
  // log ends behind the last block that was taken. Fails with kIo, and with kCorruption by the points above
  // or by what `take` says; after that it may not be called again.
  Status look(LastBlock last, const BlockVisitor& take);

  // The block before which everything can be read.
  const LogEnd& end() const { return end_; }

  Status append(GlobalPosition first_position, std::uint64_t epoch,
                std::span<const std::byte> block) override;
  Result<std::unique_ptr<BlockCursor>> cursor() override;
  std::uint64_t used_bytes() const override { return env_->used_bytes() + young_.bytes(); }
  unsigned open_readers() const override { return env_->open_readers(); }
  void tidy() override {}  // the writer's

 private:
  class Claim;
  explicit FollowedLog(std::filesystem::path folder);
  Status open_files(const FollowedLogOptions& options);
  Status take_settled(const BlockVisitor& take);
  Status take_young(LastBlock last, const BlockVisitor& take);
  Status take_block(BlockReader& block, std::span<const std::byte> bytes, const Sha256& hash,
                    const BlockVisitor& take);
  Error other_log(const std::string& what) const;

  std::filesystem::path folder_;
  std::unique_ptr<Claim> claim_;
  std::unique_ptr<lmdb::Env> env_;
  MDB_dbi table_ = 0;
  std::unique_ptr<JournalTail> journal_;
  std::vector<WatchedFile> files_;
  YoungBlocks young_;
  GlobalPosition settled_;  // the end of LMDB, when we looked last
  LogEnd end_;
};

}  // namespace cairn

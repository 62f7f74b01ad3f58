#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "eventstore/base/checksum.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/journal.h"
#include "eventstore/log/young_blocks.h"

namespace cairn {

struct LmdbBlockLogOptions {
  std::uint64_t map_bytes = 64ull << 30;
  std::uint64_t journal_bytes = 32ull << 20;  // when the log is made; later the file itself says it
  unsigned readers_max = 1'000;
  lmdb::Access access = lmdb::Access::kReadWrite;
};

// Blocks in the unnamed table of an LMDB environment of their own: first position, big-endian -> block. LMDB
// commits are synced by its default rules and by nothing weaker.
//
// A small block is made durable by the journal, with one sync, and comes to LMDB a moment later, many in one
// commit, by a thread of the log: it "settles". Until then readers get it from memory. A large block goes to
// LMDB at once, together with all young ones before it, and is written only once.
class LmdbBlockLog final : public BlockLog {
 public:
  // Makes an empty log in `folder`.
  static Status create(const std::filesystem::path& folder, const LmdbBlockLogOptions& options);

  // Opens the log in `folder` and brings home what a crash left in the journal. Read-only, it only reads it.
  // Fails with kCorruption for damaged or missing files.
  static Result<std::unique_ptr<LmdbBlockLog>> open(const std::filesystem::path& folder,
                                                    const LmdbBlockLogOptions& options);

  // Settles what is young.
  ~LmdbBlockLog() override;

  Status append(GlobalPosition first_position, std::uint64_t epoch,
                std::span<const std::byte> block) override;
  Result<std::unique_ptr<BlockCursor>> cursor() override;
  std::uint64_t used_bytes() const override { return env_->used_bytes() + young_.bytes(); }
  unsigned open_readers() const override { return env_->open_readers(); }
  void tidy() override { env_->clear_dead_readers(); }

 private:
  LmdbBlockLog() = default;
  Status recover_journal();
  Status read_end();
  Status check_end(GlobalPosition first_position, std::uint64_t epoch) const;
  Status write_journal(const BlockCopy& block);
  Status write_directly(const BlockCopy& block);
  Status wait_for_room(GlobalPosition settled);

  // Puts the young blocks and then `extra`, if there is one, into LMDB in one commit.
  Status settle(const BlockCopy* extra);
  Status make_space(std::uint64_t bytes);
  Error given_up() const;
  void run();

  std::filesystem::path folder_;
  bool writable_ = false;
  std::unique_ptr<lmdb::Env> env_;
  MDB_dbi table_ = 0;
  std::unique_ptr<Journal> journal_;  // the writer's
  YoungBlocks young_;
  GlobalPosition end_;  // the writer's belief, which is the truth
  Sha256 end_hash_{};   // of the block that ends there; only while opening
  std::uint64_t epoch_ = 0;

  std::atomic<bool> broken_ = false;  // an LMDB commit failed
  std::mutex settle_mutex_;           // held by whoever writes to LMDB
  std::uint64_t file_bytes_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  GlobalPosition settled_;
  std::optional<Error> failure_;  // of the last attempt to settle
  bool wanted_ = false;
  bool settler_sleeps_ = false;
  bool stopping_ = false;
  std::thread settler_;
};

}  // namespace cairn

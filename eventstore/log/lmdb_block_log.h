#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_file_space.h"

namespace cairn {

struct LmdbBlockLogOptions {
  std::uint64_t map_bytes = 64ull << 30;
  std::uint64_t fill_bytes = 16ull << 20;
  unsigned readers_max = 1'000;
  lmdb::Access access = lmdb::Access::kReadWrite;
};

// Blocks in the unnamed table of an LMDB environment of their own: first position, big-endian -> block. Commits are
// synced by LMDB's default rules and by nothing weaker.
class LmdbBlockLog final : public BlockLog {
 public:
  // Opens or makes the log in `folder`. Fails with kCorruption for a damaged file.
  static Result<std::unique_ptr<LmdbBlockLog>> open(const std::filesystem::path& folder,
                                                    const LmdbBlockLogOptions& options);

  Status append(GlobalPosition first_position, std::uint64_t epoch, std::span<const std::byte> block) override;
  Result<std::unique_ptr<BlockCursor>> cursor() override;
  std::uint64_t used_bytes() const override { return env_->used_bytes(); }
  unsigned open_readers() const override { return env_->open_readers(); }
  void tidy() override { env_->clear_dead_readers(); }

 private:
  LmdbBlockLog() = default;

  std::unique_ptr<lmdb::Env> env_;
  std::unique_ptr<LogFileSpace> space_;
  MDB_dbi table_ = 0;
};

}  // namespace cairn

#include "tests/support/log_blocks.h"

#include "eventstore/log/lmdb_block_log.h"

namespace cairn::test {

Result<std::vector<std::string>> blocks_in(const std::filesystem::path& data) {
  CAIRN_TRY(const auto log, LmdbBlockLog::open(data / "log", {.access = lmdb::Access::kReadOnly}));
  CAIRN_TRY(const auto cursor, log->cursor());
  std::vector<std::string> blocks;
  CAIRN_TRY(auto found, cursor->after({}));
  while (found) {
    blocks.emplace_back(reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size());
    CAIRN_TRY(found, cursor->next());
  }
  return blocks;
}

}  // namespace cairn::test

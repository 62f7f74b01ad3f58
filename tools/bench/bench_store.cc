#include "tools/bench/bench_store.h"

namespace cairn::bench {

Status check_new_folder(const std::filesystem::path& folder) {
  std::error_code absent;
  if (!std::filesystem::exists(folder, absent) || std::filesystem::is_empty(folder, absent)) return {};
  return make_error(Errc::kFailedPrecondition,
                    folder.string() + " is not empty; this benchmark writes to new folders only");
}

Result<BenchStore> BenchStore::make_new(const std::filesystem::path& folder, const StoreOptions& options) {
  BenchStore bench;
  bench.folder_ = folder;
  if (folder.empty()) {
    CAIRN_TRY(TempFolder temporary, TempFolder::make(default_temp_parent()));
    bench.folder_ = temporary.path() / "store";
    bench.temporary_.emplace(std::move(temporary));
  }
  CAIRN_CHECK(check_new_folder(bench.folder_));
  CAIRN_TRY(bench.store_, EventStore::open(bench.folder_, options));
  return bench;
}

Result<BenchStore> BenchStore::open_existing(const std::filesystem::path& folder,
                                             const StoreOptions& options) {
  BenchStore bench;
  bench.folder_ = folder;
  CAIRN_CHECK(bench.reopen(options));
  return bench;
}

Status BenchStore::reopen(const StoreOptions& options) {
  close();
  StoreOptions existing = options;
  existing.create = CreateIfMissing::kNo;
  CAIRN_TRY(store_, EventStore::open(folder_, existing));
  return {};
}

}  // namespace cairn::bench

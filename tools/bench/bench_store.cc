#include "tools/bench/bench_store.h"

namespace cairn::bench {

Result<BenchStore> BenchStore::make_new(const std::filesystem::path& folder, const StoreOptions& options) {
  BenchStore bench;
  bench.folder_ = folder;
  if (folder.empty()) {
    CAIRN_TRY(TempFolder temporary, TempFolder::make(default_temp_parent()));
    bench.folder_ = temporary.path() / "store";
    bench.temporary_.emplace(std::move(temporary));
  }
  std::error_code absent;
  if (std::filesystem::exists(bench.folder_, absent) && !std::filesystem::is_empty(bench.folder_, absent)) {
    return make_error(Errc::kFailedPrecondition,
                      bench.folder_.string() + " is not empty; this benchmark writes to new folders only");
  }
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

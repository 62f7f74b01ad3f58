#include "tools/bench/compare/bench_engine.h"

#include <utility>

#include "tools/bench/bench_store.h"

namespace cairn::bench {

Result<std::unique_ptr<Engine>> make_new_engine(const std::filesystem::path& folder,
                                                unsigned daemon_threads) {
  CAIRN_CHECK(check_new_folder(folder));
  EngineOptions options;
  options.states.automatic = AggregateStatesOptions::Automatic::kNo;
  options.read_models = daemon_threads == 0 ? ReadModelMode::kOff : ReadModelMode::kBuild;
  options.daemon.threads = daemon_threads;
  return Engine::open(folder, std::move(options));
}

}  // namespace cairn::bench

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tools/bench/compare/bench_engine.h"
#include "tools/bench/replay_set.h"

namespace cairn::bench {

// A store of orders that were all written with version 1 of their schema, which has a version 2.
class OrderStore {
 public:
  // `script` is the upcaster from version 1 to 2; empty when none is needed. REQUIRES: `set` fills the
  // streams evenly.
  static Result<std::unique_ptr<OrderStore>> make_new(const std::filesystem::path& folder,
                                                      const ReplaySet& set, std::string_view first,
                                                      std::string_view second, const std::string& script);

  EventStore& store() { return engine_->store(); }
  EventShapes& shapes() { return engine_->shapes(); }

 private:
  explicit OrderStore(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
  Status fill(const ReplaySet& set);

  std::unique_ptr<Engine> engine_;
};

}  // namespace cairn::bench

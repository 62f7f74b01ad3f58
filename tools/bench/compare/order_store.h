#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "schemaregistry/registry/schema_registry.h"
#include "tools/bench/bench_store.h"
#include "tools/bench/replay_set.h"
#include "upcasters/event_shapes.h"

namespace cairn::bench {

// A store of orders that were all written with the first version of their schema, which has a second one by
// now.
class OrderStore {
 public:
  // `script` leads from the first version to the second; empty where none is needed. REQUIRES: `set` fills
  // the streams evenly.
  static Result<std::unique_ptr<OrderStore>> make_new(const std::filesystem::path& folder,
                                                      const ReplaySet& set, std::string_view first,
                                                      std::string_view second, const std::string& script);

  EventStore& store() { return bench_.store(); }
  EventShapes& shapes() { return *shapes_; }

 private:
  explicit OrderStore(BenchStore bench) : bench_(std::move(bench)) {}
  Status fill(const ReplaySet& set);

  BenchStore bench_;
  std::unique_ptr<SchemaRegistry> registry_;
  std::unique_ptr<EventShapes> shapes_;
};

}  // namespace cairn::bench

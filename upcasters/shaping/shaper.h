#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/chain/chain_uses.h"
#include "upcasters/chain/chains.h"
#include "upcasters/model/part_buffers.h"
#include "upcasters/model/shape.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/script/upcaster_runner.h"

namespace cairn {

// Brings stored events into a shape, one after the other. Loading scripts is expensive and a shaper keeps
// them loaded, so readers share shapers through a pool (shaper_pool.h). Not thread-safe.
class Shaper {
 public:
  // REQUIRES: `chains` outlives it.
  explicit Shaper(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  // Applies new schemas and upcasters; true if there were any. Between two calls the events of a type come in
  // the same shape, and the plans of parts stay valid.
  bool refresh();

  // Brings an event into a shape. On success parts() has the resulting events; none if an upcaster dropped
  // it.
  ShapeResult<void> shape(const EventView& event, Shape shape);

  // Whether shape() runs scripts for events of this type and schema. False also when it finds no chain.
  bool runs_scripts(std::string_view type, SchemaId schema, Shape shape);

  // Valid until the next call of any other function.
  std::span<const ShapedEvent> parts() const { return parts_; }

  // Adds the chains that events take from now on to `uses`, for a caller that stores what it makes of events
  // (a snapshot); nullptr ends it. The chains live until refresh() returns true.
  void record(ChainUses* uses) { uses_ = uses; }

  // The remembered chain, if its result would still be the same; nullptr otherwise.
  const Chain* find_unchanged(const RememberedChain& remembered);

  // For a verification: whether the last event reached the script of this upcaster.
  void watch(const Upcaster* upcaster) { watched_ = upcaster; }
  bool reached_watched() const { return reached_watched_; }

 private:
  struct KnownChain {
    SchemaId schema;
    Shape shape;
    std::shared_ptr<const Chain> chain;  // has the type
  };

  Result<const Chain*> find_chain(std::string_view type, SchemaId schema, Shape shape);
  ShapeResult<void> run(const Chain& chain, std::size_t step, const EventView& event, std::string_view data,
                        unsigned hops);
  ShapeResult<void> run_script(const Chain& chain, std::size_t step, const EventView& event,
                               std::string_view data, unsigned hops);
  ShapeResult<UpcasterRunner*> runner_of(const ChainStep& step);

  Chains& chains_;
  LuaHost::Log log_;
  std::uint64_t seen_changes_ = 0;
  std::unordered_map<std::uint64_t, std::vector<KnownChain>>
      known_;  // by schema and version; mostly one each
  const KnownChain* last_ =
      nullptr;  // in known_; a copied shared_ptr would be a counter that all threads share
  std::unordered_map<const ChainStep*, std::unique_ptr<UpcasterRunner>> runners_;
  std::vector<ShapedEvent> parts_;
  std::uint32_t stored_version_ = 0;  // of the current event
  PartBuffers buffers_;
  std::vector<ScriptPart> made_;  // by the scripts, of the current event
  ChainUses* uses_ = nullptr;
  const Upcaster* watched_ = nullptr;
  bool reached_watched_ = false;
};

}  // namespace cairn

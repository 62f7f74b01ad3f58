#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Brings stored events into the shape that is wanted, one after the other. Keeps the scripts it needs loaded,
// so whoever reads much keeps a shaper (shaper_pool.h). Belongs to one thread at a time.
class Shaper {
 public:
  // REQUIRES: `chains` outlives it.
  explicit Shaper(Chains& chains, LuaHost::Log log = {}) : chains_(chains), log_(std::move(log)) {}

  // Takes notice of new schemas and upcasters. Between two calls a type's events keep coming in the same
  // shape, and the plans of parts live. True when there was something new.
  bool refresh();

  // Brings an event into a shape: afterwards parts() has what becomes of it, which may be nothing. Or says
  // why it cannot.
  std::optional<ShapeFault> shape(const EventView& event, Shape shape);

  // Whether scripts run when events of this type and schema are brought into a shape. False for what shape()
  // finds no way for as well.
  bool runs_scripts(std::string_view type, SchemaId schema, Shape shape);

  // Live until the next call of anything but this.
  std::span<const ShapedEvent> parts() const { return parts_; }

  // For those who keep what they make of events: adds the chains that events go through from now on; nullptr
  // ends it. What is added lives until refresh() is true.
  void record(ChainUses* uses) { uses_ = uses; }

  // The chain that was remembered, if it is still what it was; nullptr if events would now come out in
  // another way.
  const Chain* find_unchanged(const RememberedChain& remembered);

  // For those who try an upcaster: whether the last event came as far as this one.
  void watch(const Upcaster* upcaster) { watched_ = upcaster; }
  bool reached_watched() const { return reached_watched_; }

 private:
  struct KnownChain {
    SchemaId schema;
    Shape shape;
    std::shared_ptr<const Chain> chain;  // has the type
  };

  Result<const Chain*> find_chain(std::string_view type, SchemaId schema, Shape shape);
  std::optional<ShapeFault> run(const Chain& chain, std::size_t step, const EventView& event,
                                std::string_view data, unsigned hops);
  std::optional<ShapeFault> run_script(const Chain& chain, std::size_t step, const EventView& event,
                                       std::string_view data, unsigned hops);
  std::optional<ShapeFault> runner_of(const ChainStep& step, UpcasterRunner*& runner);

  Chains& chains_;
  LuaHost::Log log_;
  std::uint64_t seen_changes_ = 0;
  std::unordered_map<std::uint64_t, std::vector<KnownChain>>
      known_;                         // by schema and version; mostly one each
  const KnownChain* last_ = nullptr;  // in known_; no copy, since all threads would count on the same chain
  std::unordered_map<const ChainStep*, std::unique_ptr<UpcasterRunner>> runners_;
  std::vector<ShapedEvent> parts_;
  std::uint32_t stored_version_ = 0;  // of the event under way
  PartBuffers buffers_;
  std::vector<ScriptPart> made_;  // by the scripts of the event under way
  ChainUses* uses_ = nullptr;
  const Upcaster* watched_ = nullptr;
  bool reached_watched_ = false;
};

}  // namespace cairn

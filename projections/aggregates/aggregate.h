#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// Describes an aggregate.
struct AggregateInfo {
  std::string category;                // of the streams it folds
  std::string fingerprint;             // differs whenever the same events could give another state
  std::uint64_t snapshot_every = 100;  // events between automatic snapshots; 0 = none
};

// Why a state could not be computed: a script failed, or the stored data of an event is damaged.
using FoldFault = std::variant<ScriptError, Error>;

// The state of one stream while it is folded, event by event; reused for one stream after the other. Not
// thread-safe: one thread at a time.
//
// Invariant: a state that was saved and loaded gives the same results as the original, whatever events
// follow.
class AggregateState {
 public:
  virtual ~AggregateState() = default;

  // Sets the initial state, before the first event.
  virtual Result<void, FoldFault> reset() = 0;

  // Whether it handles events of this type. Others are not passed to apply().
  virtual bool wants(std::string_view type) = 0;

  // Applies an event, or a part of one. `event` is the stored event, `part` the same in its newest shape.
  virtual Result<void, FoldFault> apply(const EventView& event, const ShapedEvent& part) = 0;

  // Appends the state as JSON on one line, the same text for the same state.
  virtual Result<void, FoldFault> append_json(std::string& to) = 0;

  // Appends the state for load(). False when this state cannot be saved, which is not an error: the stream is
  // folded from the start each time.
  virtual bool save(std::string& to) = 0;

  // Sets a saved state. False when the bytes are not a saved state; the caller then calls reset().
  virtual bool load(std::string_view saved) = 0;

  // The decoding plans of the parts seen so far are about to be destroyed: drops all caches keyed by their
  // addresses.
  virtual void forget_plans() {}
};

// How the events of a category's streams become a state: a script (aggregates.h) or a native (C++) class.
// Immutable and thread-safe.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  virtual const AggregateInfo& info() const = 0;
  virtual ScriptResult<std::unique_ptr<AggregateState>> make_state() const = 0;
};

}  // namespace cairn

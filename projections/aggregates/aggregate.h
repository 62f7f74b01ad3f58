#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// What an aggregate says of itself.
struct AggregateInfo {
  std::string category;                // of the streams whose state it is
  std::string fingerprint;             // another one whenever the same events could give another state
  std::uint64_t snapshot_every = 100;  // events after which a snapshot is made by itself; 0 = never
};

// Why a state could not be made: a script failed, or the data of an event cannot be what was written.
using FoldFault = std::variant<ScriptError, Error>;

// The state of one stream while it is folded, event by event; used for one stream after the other. Belongs to
// one thread at a time.
//
// What holds: load() of what save() gave leads to the same as the fold that save() was called in, whatever
// events follow.
class AggregateState {
 public:
  virtual ~AggregateState() = default;

  // Begins again, with the state before the first event.
  virtual std::optional<FoldFault> reset() = 0;

  // Whether events of this type mean anything to it. The others are not given to apply().
  virtual bool wants(std::string_view type) = 0;

  // Takes in one event, or part of one. `event` is as it was stored, `part` what it is by now.
  virtual std::optional<FoldFault> apply(const EventView& event, const ShapedEvent& part) = 0;

  // Appends the state as JSON on one line, the same text for the same state.
  virtual std::optional<FoldFault> append_json(std::string& to) = 0;

  // Appends what load() needs. False when this state cannot be saved, which is no fault: it is folded again
  // each time.
  virtual bool save(std::string& to) = 0;

  // Begins with a state that was saved. False when the bytes are not such a state; then reset() follows.
  virtual bool load(std::string_view saved) = 0;

  // The plans of the parts seen so far are about to go; whatever was kept by their addresses has to as well.
  virtual void forget_plans() {}
};

// How the events of a category's streams become a state: a script (aggregates.h), or a class of a program
// that has the store in it. Never changes. Any thread.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  virtual const AggregateInfo& info() const = 0;
  virtual std::variant<std::unique_ptr<AggregateState>, ScriptError> make_state() const = 0;
};

}  // namespace cairn

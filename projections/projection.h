#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// Which events a projection is made of.
struct ProjectionSource {
  std::vector<std::string> categories;  // empty = all but those of system streams
  std::vector<std::string> types;       // as the events are in their newest shape; at least one
};

// What a projection says of itself.
struct ProjectionInfo {
  std::string name;
  std::string fingerprint;  // another one whenever the same events could give other rows
  ProjectionSource from;
};

// Why an event could not be applied: a script failed, or (kCorruption) its data cannot be what was written,
// or (any other code) the projection refuses it.
using ApplyFault = std::variant<ScriptError, Error>;

// Some of the rows of a projection while events are applied to them. Rows stand in slots, which whoever uses
// this numbers from 0 without large gaps. Belongs to one thread at a time.
//
// What holds: what apply() makes of a row depends on the row and the event alone, so that rows come out the
// same however they are spread over several of these, saved and loaded in between.
class ProjectionRows {
 public:
  virtual ~ProjectionRows() = default;

  // Sets `key` to the key of the row the event belongs to; to "" when it belongs to none.
  virtual std::optional<ApplyFault> key_of(const EventView& event, const ShapedEvent& part,
                                           std::string& key) = 0;

  // Puts a row into a slot: one that was saved, or for "" a new one. False when the bytes are no saved row.
  virtual bool load(std::uint32_t slot, std::string_view saved) = 0;

  // Applies an event, or part of one, to the row in a slot. After a failure the row is in doubt: load() it.
  // `event` is as it was stored, `part` what it is by now.
  virtual std::optional<ApplyFault> apply(std::uint32_t slot, const EventView& event,
                                          const ShapedEvent& part) = 0;

  // Appends what load() needs, the same bytes for the same row. Nothing for a row that is not there: deleted,
  // or new and still empty. Fails, with `to` as it was, when the row cannot be kept.
  virtual std::optional<ApplyFault> save(std::uint32_t slot, std::string& to) = 0;

  // Empties all slots.
  virtual void clear() = 0;

  // What the rows in the slots take, roughly, in bytes.
  virtual std::size_t memory_used() const = 0;

  // The plans of the parts seen so far are about to go; whatever was kept by their addresses has to as well.
  virtual void forget_plans() {}
};

// How events become rows: a script (script_projection.h), or a class of a program that has the store in it.
// Never changes. Any thread.
class Projection {
 public:
  virtual ~Projection() = default;
  virtual const ProjectionInfo& info() const = 0;
  virtual std::variant<std::unique_ptr<ProjectionRows>, ScriptError> make_rows() const = 0;

  // Appends a saved row as JSON on one line. Fails with kCorruption when the bytes are no saved row.
  virtual Status append_json(std::string_view saved, std::string& to) const = 0;
};

}  // namespace cairn

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

// The events that a projection processes.
struct ProjectionSource {
  std::vector<std::string> categories;  // empty = all but those of system streams
  std::vector<std::string> types;       // of the events in their newest shape; at least one
};

// Describes a projection.
struct ProjectionInfo {
  std::string name;
  std::string fingerprint;  // differs whenever the same events could give other rows
  ProjectionSource from;
};

// Why an event could not be applied: a script failed, or (kCorruption) its stored data is damaged, or (any
// other code) the projection refuses it.
using ApplyFault = std::variant<ScriptError, Error>;

inline ApplyFault convert_error(ErrorKind<ApplyFault>, ScriptError error) { return error; }
inline ApplyFault convert_error(ErrorKind<ApplyFault>, Error error) { return error; }

// Rows of one partition of a projection, while events are applied to them. Rows are in slots, which the
// caller numbers from 0 without large gaps. Not thread-safe: one thread at a time.
//
// Invariant: the result of apply() depends on the row and the event alone. Rows are therefore the same
// however they are distributed over partitions, and saved and loaded in between.
class ProjectionRows {
 public:
  virtual ~ProjectionRows() = default;

  // Sets `key` to the key of the row that the event belongs to; to "" when it belongs to none.
  virtual Result<void, ApplyFault> key_of(const EventView& event, const ShapedEvent& part,
                                          std::string& key) = 0;

  // Loads a saved row into a slot; for "" a new one. False when the bytes are not a saved row.
  virtual bool load(std::uint32_t slot, std::string_view saved) = 0;

  // Applies an event, or a part of one, to the row in a slot. After a failure the row is undefined until the
  // next load(). `event` is the stored event, `part` the same in its newest shape.
  virtual Result<void, ApplyFault> apply(std::uint32_t slot, const EventView& event,
                                         const ShapedEvent& part) = 0;

  // Appends the row for load(), the same bytes for the same row; nothing for a row that does not exist
  // (deleted, or new and still empty). Fails, with `to` unchanged, when the row cannot be saved.
  virtual Result<void, ApplyFault> save(std::uint32_t slot, std::string& to) = 0;

  // Empties all slots.
  virtual void clear() = 0;

  // Approximate memory of the rows in the slots, in bytes.
  virtual std::size_t memory_used() const = 0;

  // The decoding plans of the parts seen so far are about to be destroyed: drops all caches keyed by their
  // addresses.
  virtual void forget_plans() {}
};

// How events become rows: a script (script_projection.h) or a native (C++) class (typed_projection.h).
// Immutable and thread-safe.
class Projection {
 public:
  virtual ~Projection() = default;
  virtual const ProjectionInfo& info() const = 0;
  virtual ScriptResult<std::unique_ptr<ProjectionRows>> make_rows() const = 0;

  // Appends a saved row as JSON on one line. Fails with kCorruption when the bytes are not a saved row.
  virtual Status append_json(std::string_view saved, std::string& to) const = 0;
};

}  // namespace cairn

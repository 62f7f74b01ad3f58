#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/uuid.h"

namespace cairn {

// The kind of a failure, by what the caller can do about it.
enum class Errc {
  kInvalidArgument,     // the request itself is wrong; a retry fails again
  kNotFound,            // no such stream, file or record
  kVersionConflict,     // the stream has another version than expected: reload and decide again
  kEventIdReused,       // the event id belongs to another event already
  kConditionFailed,     // an event stands where the append's condition wants none: read it and decide again
  kConditionTooBroad,   // deciding a condition takes more steps than it may: name less, or a later position
  kStale,               // what the request was checked against has changed: check it again
  kTooLarge,            // over a stated limit
  kOverloaded,          // a bounded queue is full: back off and retry
  kTooManyRequests,     // the same, and this client is the one that fills it
  kNotYet,              // what is asked for is being built: retry later
  kBudgetExceeded,      // the work took more time or steps than it may: ask for less
  kCancelled,           // the client has left, or the server stops
  kDiskFull,            // nothing was written; retry when there is space
  kOutcomeUnknown,      // the commit may or may not have taken effect: retry with the same event ids
  kFailedPrecondition,  // an operator must act first (a folder in use, a stopped writer)
  kCorruption,          // stored bytes are not what was written: stop and report
  kIo,                  // a system call failed
};

std::string_view to_string(Errc code);

// The checks of an append (AppendChecks), in the order in which they are made. See docs/architecture.md, "The
// checks of an append".
enum class AppendCheck : std::uint8_t {
  kFence,        // planned: no later holder of the fence has appended
  kVersions,     // each stream is at its expected version
  kRevision,     // schemas and upcasters are those that the events were checked against
  kCondition,    // no event stands where the condition wants none
  kTransitions,  // planned: the state of the stream allows the events
  kDeliveries,   // planned: the deliveries to settle are still open
};

// "versions", as clients are told.
std::string_view to_string(AppendCheck check);

// A failure: a code for programs, a message with names and numbers for people, and for some codes the values
// that a client needs to act.
struct Error {
  Errc code = Errc::kIo;
  std::string message;

  std::string stream;            // kNotFound, kVersionConflict, kEventIdReused, kConditionFailed
  std::string expected_version;  // kVersionConflict: "3", "any", "exists"
  // kVersionConflict: the current version; kEventIdReused: the version of the event that has the id.
  std::optional<std::uint64_t> version;
  std::optional<Uuid> event_id;        // kEventIdReused
  std::optional<AppendCheck> check;    // kVersionConflict, kConditionFailed, kStale: the check that failed
  std::optional<std::uint64_t> limit;  // kTooLarge
  // kCorruption: the first position that cannot be trusted; kNotYet: up to where it is built, `limit` is the end;
  // kConditionFailed: the event in the way.
  std::optional<std::uint64_t> position;
  std::optional<std::size_t> item;    // kConditionFailed: of the condition, which selects the event
  std::string event_type;             // kConditionFailed
  std::optional<std::uint64_t> head;  // kConditionFailed: of the log when the event was found
};

Error make_error(Errc code, std::string message);

// For a failed system call: kDiskFull for ENOSPC and EDQUOT, kIo otherwise. `what` names the operation and
// the file.
Error system_error(std::string_view what, int error_number);

}  // namespace cairn

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/uuid.h"

namespace cairn {

// What went wrong, told as what the caller can do about it.
enum class Errc {
  kInvalidArgument,     // the request itself is wrong; sending it again will not help
  kNotFound,            // no such stream, file or record
  kVersionConflict,     // the stream is not where the caller thought: reload and decide again
  kEventIdReused,       // an event id stands for another event already
  kTooLarge,            // over a stated limit
  kOverloaded,          // a bounded queue is full: try again in a moment
  kDiskFull,            // nothing was written; try again when there is space
  kOutcomeUnknown,      // a commit failed half-way: ask again later with the same event ids
  kFailedPrecondition,  // somebody has to change something first (a folder in use, a stopped writer)
  kCorruption,          // stored bytes are not what was written: stop and report
  kIo,                  // the operating system refused
};

std::string_view to_string(Errc code);

// A failure: a code for programs, a message with names and numbers for people, and for the codes that have
// them the values a client wants to act on.
struct Error {
  Errc code = Errc::kIo;
  std::string message;

  std::string stream;            // kNotFound, kVersionConflict, kEventIdReused
  std::string expected_version;  // kVersionConflict: "3", "any", "exists"
  std::optional<std::uint64_t>
      version;                   // kVersionConflict: the current one; kEventIdReused: where the id stands
  std::optional<Uuid> event_id;  // kEventIdReused
  std::optional<std::uint64_t> limit;     // kTooLarge
  std::optional<std::uint64_t> position;  // kCorruption: the first position that cannot be trusted
};

Error make_error(Errc code, std::string message);

// For a failed system call: kDiskFull for ENOSPC and EDQUOT, kIo otherwise. `what` names the act and the
// file.
Error system_error(std::string_view what, int error_number);

}  // namespace cairn

#include "eventstore/base/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace cairn {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::kInvalidArgument:
      return "invalid-argument";
    case Errc::kNotFound:
      return "not-found";
    case Errc::kVersionConflict:
      return "version-conflict";
    case Errc::kEventIdReused:
      return "event-id-reused";
    case Errc::kConditionFailed:
      return "condition-failed";
    case Errc::kConditionTooBroad:
      return "condition-too-broad";
    case Errc::kStale:
      return "stale";
    case Errc::kTooLarge:
      return "too-large";
    case Errc::kOverloaded:
      return "overloaded";
    case Errc::kTooManyRequests:
      return "too-many-requests";
    case Errc::kNotYet:
      return "not-yet";
    case Errc::kBudgetExceeded:
      return "budget-exceeded";
    case Errc::kCancelled:
      return "cancelled";
    case Errc::kDiskFull:
      return "disk-full";
    case Errc::kOutcomeUnknown:
      return "outcome-unknown";
    case Errc::kFailedPrecondition:
      return "failed-precondition";
    case Errc::kCorruption:
      return "corruption";
    case Errc::kIo:
      return "io-error";
  }
  return "unknown";
}

std::string_view to_string(AppendCheck check) {
  switch (check) {
    case AppendCheck::kFence:
      return "fence";
    case AppendCheck::kVersions:
      return "versions";
    case AppendCheck::kRevision:
      return "revision";
    case AppendCheck::kCondition:
      return "condition";
    case AppendCheck::kTransitions:
      return "transitions";
    case AppendCheck::kDeliveries:
      return "deliveries";
  }
  return "unknown";
}

Error make_error(Errc code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

Error system_error(std::string_view what, int error_number) {
  const Errc code = error_number == ENOSPC || error_number == EDQUOT ? Errc::kDiskFull : Errc::kIo;
  return make_error(code, std::string(what) + ": " + std::generic_category().message(error_number));
}

}  // namespace cairn

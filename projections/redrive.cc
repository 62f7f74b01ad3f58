#include "projections/redrive.h"

namespace cairn {

std::string_view to_string(RedriveState state) {
  switch (state) {
    case RedriveState::kRunning:
      return "running";
    case RedriveState::kDone:
      return "done";
    case RedriveState::kStopped:
      return "stopped";
    case RedriveState::kCancelled:
      return "cancelled";
    case RedriveState::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace cairn

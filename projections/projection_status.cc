#include "projections/projection_status.h"

namespace cairn {

std::string_view to_string(ProjectionState state) {
  switch (state) {
    case ProjectionState::kRunning:
      return "running";
    case ProjectionState::kRebuilding:
      return "rebuilding";
    case ProjectionState::kPaused:
      return "paused";
    case ProjectionState::kFaulted:
      return "faulted";
    case ProjectionState::kStalled:
      return "stalled";
  }
  return "";
}

std::string_view to_string(RowsVerification::Stage stage) {
  switch (stage) {
    case RowsVerification::Stage::kBuilding:
      return "building";
    case RowsVerification::Stage::kComparing:
      return "comparing";
    case RowsVerification::Stage::kDone:
      return "done";
    case RowsVerification::Stage::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace cairn

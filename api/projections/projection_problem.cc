#include "api/projections/projection_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <variant>

#include "api/projections/projection_json.h"
#include "api/serving/store_problem.h"

namespace cairn::api {

namespace {

Problem wrong_state(const ProjectionStatus& status, const Error& error) {
  return Problem(409, "wrong-state", "The projection is in another state", sentence(error.message))
      .with("name", status.name)
      .with("state", to_string(status.state));
}

Problem script_problem(const ScriptError& error) {
  return Problem(422, "script-error", "The script cannot be used", sentence(error.text()))
      .with("file", error.file)
      .with("line", static_cast<std::uint64_t>(std::max(error.line, 0)))
      .with("message", error.message);
}

// Clients poll a long build less often.
std::chrono::seconds come_back_after(const ProjectionStatus& status) {
  constexpr double kSecondsMax = 60;
  const double eta = status.rebuild ? status.rebuild->eta_seconds.value_or(1) : 1;
  // A NaN fails the comparison and becomes 1.
  const double seconds = eta > 1 ? std::min(std::ceil(eta), kSecondsMax) : 1;
  return std::chrono::seconds(static_cast<int>(seconds));
}

}  // namespace

Problem projection_problem(const ReadModels& models, const std::string& name, const Error& error,
                           std::string_view field) {
  if (error.code == Errc::kNotFound) return not_found("projection", name);
  if (error.code == Errc::kInvalidArgument) return invalid_request(sentence(error.message), field);
  if (error.code == Errc::kFailedPrecondition) {
    if (const auto status = models.status(name)) return wrong_state(*status, error);
  }
  return store_problem(error);
}

Problem projection_refusal(const ReadModels& models, const std::string& name,
                           const ProjectionRefusal& refusal) {
  if (const auto* script = std::get_if<ScriptError>(&refusal)) return script_problem(*script);
  return projection_problem(models, name, std::get<Error>(refusal));
}

Problem parked_problem(const ReadModels& models, const std::string& name, const std::string& key,
                       const Error& error) {
  if (error.code == Errc::kNotFound && models.status(name)) return not_found("parked", key);
  return projection_problem(models, name, error, "key");
}

Problem rows_behind(GlobalPosition position, GlobalPosition wanted) {
  return not_yet(fmt::format("The rows are built up to position {}, not yet to {}.", position.value,
                             wanted.value))
      .with("position", position.value)
      .with("minPosition", wanted.value);
}

Problem rows_being_built(const ProjectionStatus& status, std::optional<GlobalPosition> wanted) {
  Problem problem(503, "not-yet", "Not yet",
                  "The rows of '" + status.name +
                      "' are being built for the first time; partial=true reads those that are there.");
  problem.retry_after(come_back_after(status))
      .with("state", to_string(status.state))
      .with("position", status.position.value);
  if (wanted) problem.with("minPosition", wanted->value);
  return problem.with_json("rebuild", status.rebuild ? to_json(*status.rebuild) : "null");
}

Problem no_such_row(std::string_view key, GlobalPosition position, std::uint64_t generation) {
  return not_found("row", key).with("position", position.value).with("generation", generation);
}

Problem projections_off() {
  return {503, "projections-off", "Projections are turned off",
          "This server runs with --projections off: it neither builds read models nor answers from them."};
}

}  // namespace cairn::api

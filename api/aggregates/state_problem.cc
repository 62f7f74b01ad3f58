#include "api/aggregates/state_problem.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "api/serving/shape_problem.h"
#include "api/serving/store_problem.h"

namespace cairn::api {

namespace {

Problem script_problem(const ScriptError& error, std::string_view title, std::string detail) {
  Problem problem(422, "script-error", title, sentence(std::move(detail)));
  return problem.with("file", error.file)
      .with("line", static_cast<std::uint64_t>(std::max(error.line, 0)))
      .with("message", error.message);
}

// The stream exists, but has no state at the version or time asked for.
Problem no_such_state(std::string_view stream, const StateProblem& problem) {
  return Problem(404, "not-found", "Not found", sentence(problem.message))
      .with("kind", "state")
      .with("name", stream);
}

Problem problem_of_shape(const StateProblem& problem) {
  const ShapeFault& fault = *problem.shape;
  if (fault.kind == ShapeFault::Kind::kCorruption) {
    return store_problem(make_error(Errc::kCorruption, describe(fault)));
  }
  return Problem(422, "upcaster-failed", "An event cannot be brought into its newest shape",
                 "The event at " + sentence(describe(fault)))
      .with_json("failures", failures_json({&fault, 1}))
      .with("checked", 1)
      .with("failed", 1);
}

Problem problem_of_script(std::string_view stream, const StateProblem& problem) {
  Problem told = problem.script
                     ? script_problem(*problem.script, "The aggregate's script failed", problem.message)
                     : Problem(422, "script-error", "The state cannot be saved", sentence(problem.message));
  told.with("stream", stream);
  if (problem.position.value > 0) {
    told.with("position", problem.position.value).with("version", problem.version.value);
  }
  return told;
}

Problem problem_of(const ScriptError& error) {
  return script_problem(error, "The script cannot be used", error.text());
}

Problem problem_of(const WrongCategory& wrong) {
  return {422, "invalid-aggregate", "The aggregate is for another category", sentence(wrong.message)};
}

Problem problem_of(const Error& error) { return store_problem(error); }

}  // namespace

Problem state_problem(std::string_view stream, const StateProblem& problem) {
  switch (problem.kind) {
    case StateProblem::Kind::kNoAggregate:
      return not_found("aggregate", category_of(stream));
    case StateProblem::Kind::kNoStream:
      return not_found("stream", stream);
    case StateProblem::Kind::kNoVersion:
      return no_such_state(stream, problem).with("currentVersion", problem.version.value);
    case StateProblem::Kind::kBeforeFirst:
      return no_such_state(stream, problem);
    case StateProblem::Kind::kInvalid:
      return invalid_request(sentence(problem.message), "version");
    case StateProblem::Kind::kShape:
      if (problem.shape) return problem_of_shape(problem);
      break;
    case StateProblem::Kind::kScript:
      return problem_of_script(stream, problem);
    case StateProblem::Kind::kStore:
      break;
  }
  return store_problem(problem.error ? *problem.error : make_error(Errc::kIo, problem.message));
}

Problem aggregate_problem(const AggregateRefusal& refusal) {
  return std::visit([](const auto& reason) { return problem_of(reason); }, refusal);
}

Problem snapshot_run_problem(std::string_view category, const Error& error) {
  if (error.code == Errc::kNotFound) return not_found("aggregate", category);
  if (error.code != Errc::kFailedPrecondition) return store_problem(error);
  return not_yet("The run was cancelled; its snapshots stay, and the next run continues after them: " +
                 sentence(error.message));
}

}  // namespace cairn::api

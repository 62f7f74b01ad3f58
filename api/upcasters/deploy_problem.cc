#include "api/upcasters/deploy_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/serving/shape_problem.h"
#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// The error codes of these problems in the dialect of schema registries.
constexpr int kUpcasterFailedCode = 42250, kScriptErrorCode = 42251, kInvalidUpcasterCode = 42252;

// [{"error":"…","count":7}], the most frequent first.
std::string kinds_json(const VerificationReport& report) {
  std::vector<std::pair<std::string, std::uint64_t>> kinds(report.kinds.begin(), report.kinds.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const auto& [error, count] : kinds) {
    json.begin_object();
    json.text("error", error);
    json.number("count", count);
    json.end_object();
  }
  json.end_array();
  return text;
}

Problem problem_of(const ScriptError& error) {
  Problem problem(422, "script-error", "The script cannot be used", sentence(error.text()));
  return problem.with("file", error.file)
      .with("line", static_cast<std::uint64_t>(std::max(error.line, 0)))
      .with("message", error.message)
      .registry_code(kScriptErrorCode);
}

Problem problem_of(const StepRefusal& refusal) {
  return Problem(422, "invalid-upcaster", "The upcaster does not fit the versions", sentence(refusal.message))
      .with("reason", refusal.reason)
      .registry_code(kInvalidUpcasterCode);
}

Problem problem_of(const VerificationReport& report) {
  std::string detail =
      fmt::format("The upcaster fails on {} of the {} stored events it was tried on; nothing was changed",
                  report.failed, report.checked);
  if (!report.complete) detail += ". It was not run on the rest, because it took too much time or memory";
  if (!report.failures.empty()) detail += ". First: " + describe(report.failures.front());
  return Problem(422, "upcaster-failed", "The upcaster fails on stored events", sentence(std::move(detail)))
      .with_json("failures", failures_json(report.failures))
      .with_json("kinds", kinds_json(report))
      .with("checked", report.checked)
      .with("failed", report.failed)
      .with_json("complete", report.complete ? "true" : "false")
      .registry_code(kUpcasterFailedCode);
}

// The error of a schema that comes with an upcaster is answered in the registry's own form
// (register_route.cc).
Problem problem_of(const RegistryError& error) {
  if (error.status >= 500) return store_problem(make_error(Errc::kIo, error.message));
  return Problem(422, "invalid-upcaster", "The upcaster does not fit the versions", sentence(error.message))
      .with("reason", "schema");
}

Problem problem_of(const Error& error) {
  if (error.code != Errc::kFailedPrecondition) return store_problem(error);
  return not_yet("The deployment was cancelled, and nothing was changed: " + sentence(error.message));
}

}  // namespace

Problem deploy_problem(const DeployRefusal& refusal) {
  return std::visit([](const auto& reason) { return problem_of(reason); }, refusal);
}

}  // namespace cairn::api

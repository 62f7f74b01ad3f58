#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// Handles the lines that a server streams during a long request: {"progress": …} repeatedly, and finally
// {"result": …} or {"problem": …}. An empty line keeps the connection alive. Not thread-safe.
class AnswerLines {
 public:
  using OnProgress = std::function<void(const nlohmann::ordered_json& progress)>;

  // A problem without a status gets `problem_status`.
  AnswerLines(OnProgress on_progress, int problem_status)
      : on_progress_(std::move(on_progress)), problem_status_(problem_status) {}

  api::Client::Next take(std::string_view line);

  // The final answer, where `answer` is the client's return value: its body is the result, or the problem
  // when the status is 400 or above, however the server sent it. Fails with the client's errors, and with
  // kOutcomeUnknown when the lines end without a result.
  Result<api::Answer> outcome(Result<api::Answer> answer) const;

 private:
  OnProgress on_progress_;
  const int problem_status_;
  std::optional<api::Answer> answer_;
};

// The rate per second, when `count` were done since `began`.
std::uint64_t rate_since(std::chrono::steady_clock::time_point began, std::uint64_t count);

}  // namespace cairn::cli

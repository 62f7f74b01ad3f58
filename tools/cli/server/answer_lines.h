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

// Takes the lines that a server sends while it works: {"progress": …} now and then, and at last
// {"result": …} or {"problem": …}. An empty line is a sign of life. Belongs to one thread.
class AnswerLines {
 public:
  using OnProgress = std::function<void(const nlohmann::ordered_json& progress)>;

  // A problem that names no status of its own gets `problem_status`.
  AnswerLines(OnProgress on_progress, int problem_status)
      : on_progress_(std::move(on_progress)), problem_status_(problem_status) {}

  api::Client::Next take(std::string_view line);

  // What the whole came to, when `answer` is what the client returned in the end: its body is the result, or
  // with a status from 400 the problem, whichever way the server sent it. Errors are those of the client;
  // kOutcomeUnknown too when the lines ended before there was a result.
  Result<api::Answer> outcome(Result<api::Answer> answer) const;

 private:
  OnProgress on_progress_;
  const int problem_status_;
  std::optional<api::Answer> answer_;
};

// How many a second, when `count` were done since `began`.
std::uint64_t rate_since(std::chrono::steady_clock::time_point began, std::uint64_t count);

}  // namespace cairn::cli

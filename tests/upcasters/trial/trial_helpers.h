#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eventstore/json/json_cursor.h"
#include "upcasters/trial/trial_events.h"
#include "upcasters/trial/trial_report.h"

namespace cairn::test {

// Given events of these JSON texts.
inline TrialEvents given_events(const std::vector<std::string>& lines, const std::string& stream = "") {
  GivenEvents given(stream);
  for (const std::string& line : lines) {
    JsonCursor cursor(line);
    const Status taken = given.take(cursor);
    EXPECT_TRUE(taken) << line;
  }
  return given.finish();
}

inline std::string given_event(const std::string& stream, const std::string& type, const std::string& data) {
  return R"({"stream":")" + stream + R"(","type":")" + type + R"(","data":)" + data + "}";
}

inline std::vector<std::string> kinds_of(const TrialReport& report) {
  std::vector<std::string> kinds;
  for (const ScriptWarning& warning : report.warnings) kinds.push_back(warning.kind);
  return kinds;
}

}  // namespace cairn::test

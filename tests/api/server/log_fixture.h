#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/server/api_client.h"

namespace cairn::test {

// The lines of a log in JSON. The test fails for a line that is not an object.
inline std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    Json parsed = Json::parse(line, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << line;
    if (parsed.is_object()) lines.push_back(std::move(parsed));
  }
  return lines;
}

inline std::vector<Json> lines_with(const std::string& text, std::string_view code) {
  std::vector<Json> found;
  for (const Json& line : json_lines(text)) {
    if (line.value("code", "") == code) found.push_back(line);
  }
  return found;
}

// The only line with this code; the test fails when there is none, or a second one.
inline Json line_with(const std::string& text, std::string_view code) {
  const std::vector<Json> found = lines_with(text, code);
  EXPECT_EQ(found.size(), 1u) << code << " in\n" << text;
  return found.size() == 1 ? found.front() : Json::object();
}

}  // namespace cairn::test

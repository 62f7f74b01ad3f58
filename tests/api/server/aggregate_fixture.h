#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {

// An aggregate that adds up the numbers of Counted, `factor` times each, and fails on Broken, in line 9.
inline std::string adder(int factor = 1, std::string_view every = "false",
                         std::string_view category = "count") {
  return "return aggregate {\n  category = \"" + std::string(category) +
         "\", snapshot_every = " + std::string(every) +
         ",\n  initial = function() return {sum = 0, events = 0} end,\n  on = {\n"
         "    Counted = function(state, event)\n      state.sum = state.sum + " +
         std::to_string(factor) +
         " * event.data.n\n      state.events = state.events + 1\n    end,\n"
         "    Broken = function(state) error('it broke') end\n  }\n}\n";
}

// The same, but each event takes most of a millisecond.
inline std::string slow_adder() {
  std::string source = adder();
  source.insert(source.find("      state.sum"),
                "      for i = 1, " + std::to_string(20'000 / kSanitizerDivisor) + " do end\n");
  return source;
}

// Fixture for states: a real server, and streams of numbers.
class AggregateApiTest : public UpcasterApiTest {
 protected:
  // The budget of a request is not reached by slow scripts; tests of it have their own server.
  void SetUp() override { serve({"--schemas", "optional", "--request-cpu-ms", "600000"}); }

  HttpAnswer deploy_aggregate(const std::string& source, const std::string& category = "count",
                              const std::string& query = "") {
    return client().put("/aggregates/" + category + query, source, kLuaType);
  }
  void use(const std::string& source, const std::string& category = "count") {
    const HttpAnswer answer = deploy_aggregate(source, category);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  // Events with these numbers.
  void count(const std::string& stream, const std::vector<int>& numbers) {
    std::vector<std::string> events;
    for (const int n : numbers) events.push_back(event_text("Counted", "{\"n\":" + std::to_string(n) + "}"));
    const HttpAnswer answer = append(stream, events);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  // Streams of one event each: count-00001 and so on, each with its number.
  void count_streams(int streams) {
    std::vector<std::string> entries;
    for (int i = 1; i <= streams; ++i) {
      entries.push_back(
          entry_text(numbered(i), {event_text("Counted", "{\"n\":" + std::to_string(i) + "}")}));
      if (entries.size() < 500 && i < streams) continue;
      ASSERT_EQ(append_all(entries).status, 201);
      entries.clear();
    }
  }
  static std::string numbered(int number) {
    std::string digits = std::to_string(number);
    return "count-" + std::string(5 - digits.size(), '0') + digits;
  }

  HttpAnswer ask_state(const std::string& stream, const std::string& query = "") {
    return get("/streams/" + stream + "/state" + query);
  }
  // The answer, which must have a state.
  Json asked(const std::string& stream, const std::string& query = "") {
    const HttpAnswer answer = ask_state(stream, query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json() : Json::object();
  }
  Json state(const std::string& stream, const std::string& query = "") {
    return asked(stream, query).value("state", Json());
  }
  static Json sum(int sum, int events) { return {{"sum", sum}, {"events", events}}; }

  HttpAnswer snapshot(const std::string& stream) { return post("/streams/" + stream + "/snapshot", ""); }
  HttpAnswer ask_all(const std::string& category = "count") {
    return post("/aggregates/" + category + "/snapshots", "");
  }
  Json snapshot_all(const std::string& category = "count") {
    const HttpAnswer answer = ask_all(category);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json() : Json::object();
  }
  Json snapshots(const std::string& stream) {
    const HttpAnswer answer = get("/streams/" + stream + "/snapshots");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json()["snapshots"] : Json::array();
  }

  // The value of one metric; -1 when it is missing.
  double metric(const std::string& name) {
    std::istringstream text(get("/metrics").body);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
    }
    return -1;
  }
};

}  // namespace cairn::test

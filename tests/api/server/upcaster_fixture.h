#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {

inline constexpr const char* kLuaType = "text/x-lua";

// The versions of the type Person: the second cannot read what the first wrote, the third reads the second.
inline constexpr const char* kPersonV1 = R"({"type":"record","name":"Person","fields":[
  {"name":"n","type":"long"},{"name":"name","type":"string"}]})";
inline constexpr const char* kPersonV2 = R"({"type":"record","name":"Person","fields":[
  {"name":"n","type":"long"},{"name":"first","type":"string"},{"name":"last","type":"string"}]})";
inline constexpr const char* kPersonV3 = R"({"type":"record","name":"Person","fields":[
  {"name":"n","type":"long"},{"name":"first","type":"string"},{"name":"last","type":"string"},
  {"name":"title","type":"string","default":"none"}]})";

// An upcaster whose function has this body.
inline std::string upcaster_text(std::string_view body, std::string_view type = "Person", int from = 1,
                                 int to = 2) {
  return "return upcaster {\n  type = \"" + std::string(type) + "\", from = " + std::to_string(from) +
         ", to = " + std::to_string(to) + ",\n  upcast = function(data, event)\n    " + std::string(body) +
         "\n  end\n}\n";
}

// From the first version of Person to the second. Line 5 fails for a person with one name.
inline std::string split_name() {
  return upcaster_text(
      "local first, last = string.match(data.name, '^(%S+) (%S+)$')\n"
      "    if not first then error('one name only: ' .. data.name) end\n"
      "    return {n = data.n, first = first, last = last}");
}

// Fixture for upcasters: a real server, and persons whose schema changes.
class UpcasterApiTest : public ApiTest {
 protected:
  void SetUp() override { serve({}); }

  HttpAnswer send_schema(const std::string& subject, std::string_view schema,
                         const Json& more = Json::object(), const std::string& query = "") {
    Json body = {{"schema", schema}};
    body.update(more);
    return post("/subjects/" + subject + "/versions" + query, body.dump());
  }
  void register_schema(const std::string& subject, std::string_view schema) {
    const HttpAnswer answer = send_schema(subject, schema, Json::object(), "?force=true");
    ASSERT_EQ(answer.status, 200) << answer.body;
  }

  // One event of Person as the first version has it.
  static std::string person(const std::string& name, int n = 1) {
    return R"({"type":"Person","schemaVersion":1,"data":{"n":)" + std::to_string(n) + R"(,"name":")" + name +
           R"("}})";
  }
  void append_people(const std::string& stream, const std::vector<std::string>& names) {
    std::vector<std::string> events;
    for (const std::string& name : names) events.push_back(person(name, static_cast<int>(events.size()) + 1));
    const HttpAnswer answer = append(stream, events);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }

  // Two versions of Person, and events of the first.
  void begin_with(const std::vector<std::string>& names) {
    register_schema("Person", kPersonV1);
    append_people("person-1", names);
    register_schema("Person", kPersonV2);
  }

  HttpAnswer deploy(const std::string& script, const std::string& query = "",
                    const std::string& step = "Person/1") {
    return client().put("/upcasters/" + step + query, script, kLuaType);
  }
  // The result; the test fails when the deployment was refused.
  Json deployed(const std::string& script, const std::string& query = "",
                const std::string& step = "Person/1") {
    const HttpAnswer answer = deploy(script, query, step);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json();
  }

  Json events(const std::string& path) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 1'000);
    return answer.status == 200 ? answer.json()["events"] : Json::array();
  }
  std::vector<Json> lines(const std::string& path) {
    std::vector<Json> all;
    std::istringstream text(get(path, {{"Accept", "application/x-ndjson"}}).body);
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line, nullptr, false));
    return all;
  }

  // One member of each event.
  static Json each(const Json& events, const std::string& pointer) {
    Json all = Json::array();
    for (const Json& event : events) all.push_back(event.value(Json::json_pointer(pointer), Json()));
    return all;
  }
};

}  // namespace cairn::test

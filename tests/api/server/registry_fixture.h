#pragma once

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {

inline constexpr const char* kRegistryType = "application/vnd.schemaregistry.v1+json";

// {"type":"record","name":"Order",…} with an id, and an optional long for each name.
inline std::string order_schema(const std::vector<std::string>& optional_fields = {}) {
  std::string text = R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"})";
  for (const std::string& name : optional_fields) {
    text += R"(,{"name":")" + name + R"(","type":"long","default":0})";
  }
  return text + "]}";
}

// The same with a field that data written before does not have.
inline std::string incompatible_schema_text() {
  return R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"must","type":"string"}]})";
}

// Fixture of the schema registry's tests: a real server, with the requests that its clients send.
class RegistryApiTest : public ApiTest {
 protected:
  void SetUp() override { serve({}); }

  // The body of a request with this schema.
  static std::string schema_body(const std::string& text, const Json& more = Json::object()) {
    Json body = {{"schema", text}};
    body.update(more);
    return body.dump();
  }
  static Json reference(const std::string& name, const std::string& subject, int version) {
    return {{"name", name}, {"subject", subject}, {"version", version}};
  }

  HttpAnswer send(const std::string& path, const std::string& text, const Json& more = Json::object()) {
    return client().post(path, schema_body(text, more), kRegistryType);
  }
  HttpAnswer register_schema(const std::string& subject, const std::string& text,
                             const Json& more = Json::object()) {
    return send("/subjects/" + subject + "/versions", text, more);
  }
  // The id; 0 and a failure when it was refused.
  int registered(const std::string& subject, const std::string& text, const Json& more = Json::object()) {
    const HttpAnswer answer = register_schema(subject, text, more);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json().value("id", 0) : 0;
  }
  HttpAnswer look_up(const std::string& subject, const std::string& text, const std::string& query = "") {
    return send("/subjects/" + subject + query, text);
  }
  HttpAnswer put(const std::string& path, const std::string& body) {
    return client().put(path, body, kRegistryType);
  }
  HttpAnswer remove(const std::string& path) { return client().remove(path); }

  // The body of a 200 answer.
  Json got(const std::string& path) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 200) << path << " " << answer.body;
    EXPECT_EQ(answer.header("Content-Type"), kRegistryType);
    return answer.json();
  }
  Json answered(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.header("Content-Type"), kRegistryType);
    return answer.json();
  }

  // Checks the members that every error has, and returns the message.
  std::string refused(const HttpAnswer& answer, int code) {
    EXPECT_EQ(answer.status, code > 999 ? code / 100 : code) << answer.body.substr(0, 500);
    EXPECT_EQ(answer.header("Content-Type"), kRegistryType);
    const Json json = Json::parse(answer.body, nullptr, false);
    if (!json.is_object()) {
      ADD_FAILURE() << "no JSON object: " << answer.body.substr(0, 500);
      return "";
    }
    EXPECT_EQ(json.value("error_code", 0), code) << answer.body.substr(0, 500);
    EXPECT_EQ(json.size(), 2u) << "older clients fail on more: " << answer.body.substr(0, 500);
    return json.value("message", "");
  }
};

}  // namespace cairn::test

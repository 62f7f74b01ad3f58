// Hostile schemas: refused in bounded time, and the server continues to serve.

#include <chrono>

#include "tests/api/server/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::AnyOf;
using namespace std::chrono_literals;

class RegistryHostileTest : public RegistryApiTest {
 protected:
  // Every path that parses schemas refuses it, soon, with a client error.
  void expect_refused(const std::string& text) {
    const auto began = std::chrono::steady_clock::now();
    for (const char* path :
         {"/subjects/S/versions", "/subjects/Order", "/compatibility/subjects/S/versions/latest",
          "/compatibility/subjects/Order/versions"}) {
      const int status = send(path, text).status;
      EXPECT_THAT(status, AnyOf(400, 413, 422)) << path;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    expect_healthy();
  }
  void SetUp() override {
    RegistryApiTest::SetUp();
    registered("Order", order_schema());
  }
  static std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }
};

TEST_F(RegistryHostileTest, DeepSchemas) {
  for (const int depth : {200, 20'000}) {
    expect_refused(repeated("[", depth) + repeated("]", depth));
    expect_refused(repeated(R"({"type":"array","items":)", depth) + R"("int")" + repeated("}", depth));
    expect_refused(repeated(R"({"type":)", depth) + R"("int")" + repeated("}", depth));
    expect_refused(repeated(R"({"type":)", depth));
    expect_refused(repeated("[", depth));
  }
}

TEST_F(RegistryHostileTest, HugeSchemas) {
  expect_refused("\"" + std::string(2u << 20, 'x') + "\"");
  expect_refused(R"({"type":"enum","name":"E","symbols":[)" + repeated("\"A\",", 300'000) + "\"A\"]}");
  std::string many = R"({"type":"record","name":"R","fields":[)";
  for (int i = 0; i < 60'000; ++i)
    many += (i == 0 ? "" : ",") + ("{\"name\":\"f" + std::to_string(i) + "\",\"type\":\"int\"}");
  expect_refused(many + "]}");
  refused(client().post("/subjects/S/versions", "{\"schema\":\"" + std::string(5u << 20, 'x') + "\"}"),
          42209);
}

TEST_F(RegistryHostileTest, TheLargestAcceptedSchemasTakeLinearTime) {
  std::string many = R"({"type":"record","name":"R","fields":[)";
  for (int i = 0; many.size() < 900'000; ++i) {
    many +=
        (i == 0 ? "" : ",") + ("{\"name\":\"f" + std::to_string(i) + "\",\"type\":\"int\",\"default\":0}");
  }
  many += "]}";
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(registered("Large", many), 2);
  EXPECT_EQ(registered("Large", many), 2);
  EXPECT_EQ(send("/compatibility/subjects/Large/versions/latest", many).body, R"({"is_compatible":true})");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

TEST_F(RegistryHostileTest, DefaultsDeeperThanTheirTypes) {
  std::string nested = R"("int")";
  for (int i = 0; i < 40; ++i) nested = R"({"type":"array","items":)" + nested + "}";
  expect_refused(R"({"type":"record","name":"R","fields":[{"name":"a","type":)" + nested + R"(,"default":)" +
                 repeated("[", 90) + "\"x\"" + repeated("]", 90) + "}]}");
}

// Each record contains the previous one twice: 2^40 records when expanded, and as many pairs to compare.
TEST_F(RegistryHostileTest, SchemasOfExponentialSize) {
  const auto bomb = [](const std::string& leaf) {
    std::string text = R"({"type":"record","name":"R0","fields":[{"name":"a","type":")" + leaf + R"("}]})";
    for (int i = 1; i <= 40; ++i) {
      const std::string before = "R" + std::to_string(i - 1);
      text = R"({"type":"record","name":"R)" + std::to_string(i) + R"(","fields":[{"name":"a","type":)" +
             text + R"(},{"name":"b","type":")" + before + R"("}]})";
    }
    return text;
  };
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(register_schema("Bomb", bomb("int")).status, AnyOf(200, 422));
  EXPECT_THAT(register_schema("Bomb", bomb("string")).status, AnyOf(200, 409, 422));
  EXPECT_THAT(send("/compatibility/subjects/Bomb/versions/latest?verbose=true", bomb("string")).status,
              AnyOf(200, 422));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  expect_healthy();
}

TEST_F(RegistryHostileTest, CircularReferencesAreImpossible) {
  const std::string a = R"({"type":"record","name":"A","fields":[{"name":"b","type":"B"}]})";
  const std::string b = R"({"type":"record","name":"B","fields":[{"name":"a","type":"A"}]})";
  refused(register_schema("A", a, {{"references", {reference("B", "B", 1)}}}), 42201);
  refused(register_schema("A", a, {{"references", {reference("A", "A", 1)}}}), 42201);
  refused(register_schema("A", a, {{"references", {reference("A", "A", -1)}}}), 42201);
  registered("B", R"({"type":"record","name":"B","fields":[]})");
  registered("A", a, {{"references", {reference("B", "B", 1)}}});
  // Version 2 of B would need A, which has version 1 of B: B twice.
  refused(register_schema("B", b, {{"references", {reference("A", "A", 1)}}}), 42201);
  Json many = Json::array();
  for (int i = 0; i < 2'000; ++i) many.push_back(reference("N" + std::to_string(i), "B", 1));
  refused(register_schema("C", R"("string")", {{"references", many}}), 42209);
}

TEST_F(RegistryHostileTest, BytesThatAreNotUtf8) {
  for (const std::string& bytes : {std::string("\xff"), std::string("\xc0\x80"), std::string("\xed\xa0\x80"),
                                   std::string("\\ud800"), std::string("\0", 1)}) {
    const HttpAnswer answer = client().post("/subjects/S/versions", "{\"schema\":\"" + bytes + "\"}");
    EXPECT_THAT(answer.status, AnyOf(400, 422));
  }
  refused(get("/subjects/%FF/versions"), 40401);
  refused(get("/subjects/%/versions"), 400);
  refused(register_schema("%00", order_schema()), 42208);
  refused(register_schema(std::string(1'500, 'x'), order_schema()), 42208);
  expect_healthy();
}

}  // namespace
}  // namespace cairn::test

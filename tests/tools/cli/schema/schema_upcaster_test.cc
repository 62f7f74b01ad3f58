// `cairn schema register` with an upcaster, with a scripted registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/cli/upcaster/upcaster_files.h"
#include "upcasters/model/upcaster.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Reply = ScriptedServer::Reply;

class SchemaUpcasterTest : public ::testing::Test {
 protected:
  SchemaUpcasterTest() {
    files_.put("Order/2.avsc", order_2_without_default());
    files_.put("Order/1-2.lua", script_);
  }

  void script(std::vector<Reply> replies) { server_ = std::make_unique<ScriptedServer>(std::move(replies)); }

  static Reply answer(const json& body, int status = 200) {
    return ScriptedServer::answer(status, body.dump());
  }
  static Reply not_found() { return answer({{"error_code", 40403}, {"message", "Schema not found"}}, 404); }
  static Reply found(int version) {
    return answer({{"subject", "Order"}, {"version", version}, {"id", 10 + version}, {"schema", "{}"}});
  }
  static Reply incompatible() { return answer({{"is_compatible", false}, {"messages", {"too different"}}}); }

  static Reply installed(const std::string& source) {
    const std::string fingerprint = fingerprint_of({"Order", 1, 2, {}}, source);
    return answer({{"type", "Order"}, {"upcasters", {{{"from", 1}, {"fingerprint", fingerprint}}}}});
  }

  Finished register_all(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"schema", "register", "--dir", files_.path(), "--url", server_->url()};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }

  json body_of(std::size_t request) const {
    const std::string text = server_->requests().at(request);
    return json::parse(text.substr(text.find("\r\n\r\n") + 4));
  }

  const std::string script_ = upcaster("Order", 1, "data.total = 1");
  SchemaFiles files_;
  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(SchemaUpcasterTest, ANewVersionIsSentWithItsUpcaster) {
  script({not_found(), answer({1}), incompatible(), not_found(), answer({{"id", 12}}), found(2),
          installed(script_)});
  const Finished done = register_all();
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  ASSERT_THAT(server_->requests(), SizeIs(7));
  EXPECT_THAT(server_->requests()[4], StartsWith("POST /subjects/Order/versions HTTP/1.1\r\n"));
  EXPECT_EQ(
      body_of(4),
      json({{"schema", order_2_without_default()}, {"upcaster", script_}, {"upcasterFile", "1-2.lua"}}));
  EXPECT_EQ(body_of(3), json({{"schema", order_2_without_default()}}));
  const std::string folder = files_.path();
  EXPECT_EQ(done.output.substr(done.output.find('\n') + 1),
            "Order    " + folder + "/Order/2.avsc   2        12  registered\n" +  //
                "Order    " + folder + "/Order/1-2.lua  1 → 2        installed\n");
}

TEST_F(SchemaUpcasterTest, ARegistryWithoutUpcasterSupportIsDetected) {
  const json none = {{"type", "/problems/not-found"}, {"title", "Not found"}, {"status", 404}};
  for (const Reply& asked :
       {installed("-- another"), answer(none, 404), answer({{"error_code", 404}}, 404)}) {
    script({not_found(), answer({1}), answer({{"is_compatible", true}}), not_found(), answer({{"id", 12}}),
            found(2), asked});
    const Finished no = register_all();
    EXPECT_EQ(no.exit_code, 1);
    EXPECT_THAT(no.output, Not(HasSubstr("installed")));
    EXPECT_THAT(no.errors, HasSubstr("1 of 1 schemas are registered"));
  }
}

TEST_F(SchemaUpcasterTest, AnUpcasterOfARegisteredVersionIsSentAlone) {
  const json result = {{"type", "Order"}, {"from", 1}, {"to", 2}, {"unchanged", true}};
  script({found(2), found(2), ScriptedServer::pieces({json{{"result", result}}.dump() + "\n"}, true)});
  const Finished done = register_all({"--json"});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_THAT(server_->requests()[2],
              AllOf(StartsWith("PUT /upcasters/Order/1?to=2&file=1-2.lua HTTP/1.1\r\n"),
                    EndsWith("\r\n\r\n" + script_)));
  const json output = json::parse(done.output);
  EXPECT_EQ(output["schemas"][0]["verdict"], "unchanged");
  EXPECT_EQ(output["upcasters"],
            json::parse(R"([{"subject":"Order","file":")" + files_.path_of("Order/1-2.lua") +
                        R"(","verdict":"unchanged","from":1,"to":2}])"));
}

TEST_F(SchemaUpcasterTest, TheLastUpcasterIsSentFirst) {
  files_.put("Order/3.avsc", order_1());
  files_.put("Order/2-3.lua", upcaster("Order", 2, "data.total = nil"));
  const Reply result = ScriptedServer::pieces({R"({"result":{"unchanged":false}})"
                                               "\n"},
                                              true);
  script({found(2), found(3), found(2), found(3), result, result});
  const Finished done = register_all();
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_THAT(server_->requests()[4], StartsWith("PUT /upcasters/Order/2?to=3"));
  EXPECT_THAT(server_->requests()[5], StartsWith("PUT /upcasters/Order/1?to=2"));
}

TEST_F(SchemaUpcasterTest, FailedEventsAreListed) {
  const json refusal = {
      {"error_code", 42250},
      {"message", "the upcaster fails on history"},
      {"failures", {{{"position", 7}, {"stream", "order-1"}, {"version", 3}, {"error", "why"}}}},
      {"kinds", {{{"error", "why"}, {"count", 2}}}},
      {"checked", 9},
      {"failed", 2}};
  const std::vector<Reply> replies = {not_found(), answer({1}), incompatible(), not_found(),
                                      answer(refusal, 422)};
  script(replies);
  const Finished no = register_all();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.output, "");
  EXPECT_THAT(no.errors, AllOf(HasSubstr("Order/2.avsc: the upcaster fails on history (422 42250)\n"),
                               HasSubstr("7         order-1  3        why\nand 1 more\n"),
                               HasSubstr("the upcaster fails on 2 of 9 events\n"),
                               HasSubstr("0 of 1 schemas are registered")));
  script(replies);
  EXPECT_EQ(json::parse(register_all({"--json"}).output)["refusal"], refusal);
}

TEST_F(SchemaUpcasterTest, AScriptThatDoesNotLoadPreventsAllRegistrations) {
  files_.put("Order/1-2.lua", kNoLua);
  script({not_found(), answer({1}), answer({{"is_compatible", true}})});
  const Finished no = register_all();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output, HasSubstr("Order/1-2.lua:4: "));
  EXPECT_EQ(no.errors, "cairn: nothing was registered\n");
  EXPECT_THAT(server_->requests(), SizeIs(3));
}

}  // namespace
}  // namespace cairn::test

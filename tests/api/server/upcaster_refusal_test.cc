// Requests about upcasters that are refused before the verification.

#include <string>

#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class UpcasterRefusalTest : public UpcasterApiTest {
 protected:
  std::string reason(const HttpAnswer& answer) {
    return problem(answer, 422, "invalid-upcaster").value("reason", "");
  }
  static std::string step(int from, int to, const std::string& type = "Person") {
    return upcaster_text("return data", type, from, to);
  }
};

TEST_F(UpcasterRefusalTest, AScriptErrorHasItsFileAndLine) {
  begin_with({"Ada Lovelace"});
  const Json syntax =
      problem(deploy("local x = 1\nreturn upcaster {\n", "?file=people.lua"), 422, "script-error");
  EXPECT_EQ(syntax["file"], "people.lua");
  EXPECT_EQ(syntax["line"], 3);
  EXPECT_THAT(syntax.value("message", ""), ::testing::Not(HasSubstr("people.lua")));
  EXPECT_THAT(syntax.value("detail", ""), HasSubstr("people.lua:3: "));
  const Json forbidden = problem(deploy("\n\nos.exit(1)"), 422, "script-error");
  EXPECT_EQ(forbidden["file"], "upcaster.lua");
  EXPECT_EQ(forbidden["line"], 3);
  problem(deploy(""), 422, "script-error");
  problem(deploy("return 7"), 422, "script-error");
  EXPECT_THAT(problem(deploy("return upcaster { type = 'Person', from = 1, to = 2 }"), 422, "script-error")
                  .value("message", ""),
              HasSubstr("upcast"));
}

TEST_F(UpcasterRefusalTest, EachReasonHasItsName) {
  begin_with({"Ada Lovelace"});
  EXPECT_EQ(reason(deploy(step(1, 2, "Nobody"), "", "Nobody/1")), "unknown-type");
  EXPECT_EQ(reason(deploy(step(2, 3), "", "Person/2")), "unknown-version");
  EXPECT_EQ(reason(deploy(step(1, 2), "", "Person/2")), "wrong-target");
  EXPECT_EQ(reason(deploy(step(1, 2), "", "Other/1")), "wrong-target");
  EXPECT_EQ(reason(deploy(step(1, 2), "?to=3")), "wrong-target");
  EXPECT_EQ(reason(deploy(step(2, 1), "", "Person/2")), "cycle");
  EXPECT_EQ(reason(deploy(step(1, 1))), "cycle");
  register_schema("Person", kPersonV3);
  EXPECT_EQ(reason(deploy(step(1, 3))), "gap");
  deployed(split_name());
  EXPECT_EQ(reason(deploy(step(1, 3))), "fork");
  EXPECT_EQ(get("/upcasters").json()["upcasters"].size(), 1u);
}

// From the target version of an upcaster there must be a path to the newest version.
TEST_F(UpcasterRefusalTest, AGapAfterTheUpcasterIsRefusedToo) {
  begin_with({"Ada Lovelace"});
  register_schema("Person",
                  R"({"type":"record","name":"Person","fields":[{"name":"must","type":"string"}]})");
  EXPECT_EQ(reason(deploy(split_name())), "gap");
}

TEST_F(UpcasterRefusalTest, PathsAndQueriesAreChecked) {
  begin_with({"Ada Lovelace"});
  const auto field = [this](const HttpAnswer& answer) {
    return problem(answer, 400, "invalid-request").value("field", "");
  };
  for (const std::string from : {"0", "-1", "one", "1.0", "2147483648"}) {
    EXPECT_EQ(field(deploy(split_name(), "", "Person/" + from)), "from") << from;
  }
  EXPECT_EQ(field(deploy(split_name(), "?to=0")), "to");
  EXPECT_EQ(field(deploy(split_name(), "?dryRun=yes")), "dryRun");
  EXPECT_EQ(field(deploy(split_name(), "?dry=true")), "dry");
  EXPECT_EQ(field(deploy(split_name(), "?file=")), "file");
  EXPECT_EQ(field(deploy(split_name(), "?file=a%0Ab")), "file");
  EXPECT_EQ(field(get("/upcasters?type=Person")), "type");
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
}

TEST_F(UpcasterRefusalTest, OnlyLuaUpToTheLimitIsAccepted) {
  begin_with({"Ada Lovelace"});
  for (const char* type : {"application/json", "text/plain", "application/x-www-form-urlencoded"}) {
    problem(client().put("/upcasters/Person/1", split_name(), type), 415, "unsupported-media-type");
  }
  EXPECT_EQ(client().put("/upcasters/Person/1?dryRun=true", split_name(), "text/x-lua; charset=utf-8").status,
            200);
  const std::string padding = "--" + std::string((1u << 20) - split_name().size() - 3, 'x') + "\n";
  EXPECT_EQ(deploy(padding + split_name(), "?dryRun=true").status, 200);
  EXPECT_EQ(problem(deploy(padding + split_name() + "\n"), 413, "too-large")["limit"], 1u << 20);
}

TEST_F(UpcasterRefusalTest, ATypeWithoutUpcastersIsNotFound) {
  begin_with({"Ada Lovelace"});
  const Json told = problem(get("/upcasters/Person"), 404, "not-found");
  EXPECT_EQ(told["kind"], "upcaster");
  EXPECT_EQ(told["name"], "Person");
  EXPECT_EQ(client().put("/upcasters/Person", split_name(), kLuaType).status, 405);
}

}  // namespace
}  // namespace cairn::test

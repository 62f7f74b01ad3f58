// The members of an aggregate script, and the errors for wrong ones.

#include "tests/projections/aggregates/aggregates_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class AggregateScriptTest : public AggregatesTest {
 protected:
  std::string refused(const std::string& members) {
    return deploy_aggregate("return aggregate {" + members + "}");
  }
};

TEST_F(AggregateScriptTest, DeploymentIsIdempotentAndSurvivesRestarts) {
  EXPECT_EQ(deploy_aggregate(kSum), "deployed 1");
  EXPECT_EQ(deploy_aggregate(kSum), "unchanged 1");
  EXPECT_EQ(deploy_aggregate(kSum + "-- changed"), "deployed 2");
  EXPECT_EQ(version_of("$definitions"), 2u);
  restart_states();
  const auto definition = states().aggregates().definition("order");
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->revision, 2u);
  EXPECT_EQ(definition->snapshot_every, 100u);
  EXPECT_EQ(definition->source, kSum + "-- changed");
  EXPECT_EQ(deploy_aggregate(kSum), "deployed 3");
  EXPECT_NE(states().aggregates().find("order"), nullptr);
  EXPECT_EQ(states().aggregates().find("orde"), nullptr);
}

TEST_F(AggregateScriptTest, UpcastersAndAggregatesShareAStream) {
  registered("Order", kEuros);
  registered("Order", kCents);
  deployed(kEurosToCents);
  EXPECT_EQ(deploy_aggregate(kSum), "deployed 1");
  registered("Order", kMoney);
  deployed(kCentsToMoney);
  EXPECT_EQ(deploy_aggregate(kSum + " "), "deployed 2");
  restart_states();
  EXPECT_EQ(shapes().upcasters().all().size(), 2u);
  EXPECT_EQ(states().aggregates().definition("order")->revision, 2u);
}

TEST_F(AggregateScriptTest, SnapshotEveryIsANumberOrFalse) {
  const auto every = [&](const std::string& text) {
    has_aggregate(aggregate("", " snapshot_every = " + text + ","));
    return states().aggregates().find("order")->info().snapshot_every;
  };
  EXPECT_EQ(every("7"), 7u);
  EXPECT_EQ(every("1000000"), 1'000'000u);
  EXPECT_EQ(every("false"), 0u);
  EXPECT_EQ(every("0"), 0u);
  EXPECT_EQ(every("nil"), 100u);
  for (const char* wrong : {"-1", "1.5", "1000001", "true", "'many'"}) {
    EXPECT_EQ(
        refused("category = 'order', on = {}, snapshot_every = " + std::string(wrong)),
        "script: test.lua: 'snapshot_every' must be a number of events, 1 to 1000000, or false for never");
  }
}

TEST_F(AggregateScriptTest, WrongMembersAreReportedByName) {
  EXPECT_THAT(refused("on = {}"), StartsWith("script: test.lua: 'category' must be the name of a category"));
  for (const char* wrong : {"''", "'a-b'", "'$schemas'", "'a\\nb'", "7"}) {
    EXPECT_THAT(refused("on = {}, category = " + std::string(wrong)), HasSubstr("'category' must be"));
  }
  EXPECT_THAT(refused("category = 'order'"), HasSubstr("'on' must be a table"));
  EXPECT_THAT(refused("category = 'order', on = { Added = 3 }"), HasSubstr("'on.Added' must be a function"));
  EXPECT_THAT(refused("category = 'order', on = { Added = tostring }"),
              HasSubstr("'on.Added' must be a function"));
  EXPECT_THAT(refused("category = 'order', on = { function() end }"), HasSubstr("it has the key 1"));
  EXPECT_THAT(refused("category = 'order', on = {}, initial = {}"),
              HasSubstr("'initial' must be a function"));
  EXPECT_THAT(refused("category = 'order', on = {}, snapshots = 1"),
              HasSubstr("'snapshots' is no member of an aggregate, which has category, snapshot_every"));
  EXPECT_EQ(deploy_aggregate("return {}"), "script: test.lua: it does not end with: return aggregate { … }");
  EXPECT_EQ(deploy_aggregate("return upcaster {}"),
            "script: test.lua: it returns upcaster { … }, not aggregate { … }");
  EXPECT_THAT(deploy_aggregate("return aggregate {\n  category = \n}"), StartsWith("script: test.lua:3: "));
  EXPECT_EQ(version_of("$definitions"), 0u);
}

TEST_F(AggregateScriptTest, InitialMustReturnAState) {
  const auto with_initial = [&](const std::string& body) {
    return refused("category = 'order', on = {},\n initial = function() " + body + " end");
  };
  EXPECT_EQ(with_initial("return 3"), "script: test.lua: initial() returned 3 instead of a table");
  EXPECT_EQ(with_initial(""), "script: test.lua: initial() returned nil instead of a table");
  EXPECT_THAT(with_initial("return { a = { b = function() end } }"),
              HasSubstr("at \"/a/b\": JSON has no value"));
  EXPECT_THAT(with_initial("local t = {}; return { t, t }"), HasSubstr("one table is in two places"));
  EXPECT_EQ(with_initial("return nobody.knows"),
            "script: test.lua:2: attempt to index a nil value (global 'nobody')");
  EXPECT_THAT(with_initial("while true do end"), StartsWith("script: test.lua:2: "));
}

TEST_F(AggregateScriptTest, TheRequestMustNameTheScriptsCategory) {
  const auto outcome = states().aggregates().deploy({.source = kSum, .file = "x.lua", .category = "cart"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(std::get<WrongCategory>(outcome.error()).message,
            "the request is about category cart, the script says category = order");
}

}  // namespace
}  // namespace cairn::test

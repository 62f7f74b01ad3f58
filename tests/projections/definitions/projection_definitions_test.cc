// Projections in $definitions.

#include "projections/definitions/projection_definitions.h"

#include <thread>

#include "projections/aggregates/aggregates.h"
#include "tests/support/store_fixture.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kCount = "return projection { on = { A = function(row) row.n = (row.n or 0) + 1 end } }";

class ProjectionDefinitionsTest : public StoreTest {
 protected:
  ProjectionDefinitions& definitions() {
    if (!definitions_) {
      definitions_ = std::make_unique<ProjectionDefinitions>(store(), 256);
      EXPECT_THAT(definitions_->catch_up(), succeeds());
    }
    return *definitions_;
  }
  void restart() {
    definitions_.reset();
    reopen();
  }

  // "deployed 1", "unchanged 1", or why not.
  static std::string told(const Result<ProjectionDeployment, ProjectionRefusal>& outcome) {
    if (outcome) {
      return (outcome->unchanged ? "unchanged " : "deployed ") + std::to_string(outcome->definition.revision);
    }
    const ProjectionRefusal& refusal = outcome.error();
    if (const auto* script = std::get_if<ScriptError>(&refusal)) return "script: " + script->text();
    return std::string(to_string(std::get<Error>(refusal).code)) + ": " + std::get<Error>(refusal).message;
  }
  std::string deploy(const std::string& name, const std::string& source) {
    return told(definitions().deploy({.name = name, .source = source, .file = "test.lua"}));
  }

  void append_system(const std::string& type, const std::string& data) {
    NewEvent event;
    event.type = type;
    event.data = data;
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({"$definitions", ExpectedVersion::any(), {event}});
    ASSERT_THAT(store().append(std::move(request)), succeeds());
  }

 private:
  std::unique_ptr<ProjectionDefinitions> definitions_;
};

TEST_F(ProjectionDefinitionsTest, SurviveRestarts) {
  EXPECT_EQ(deploy("totals", kCount), "deployed 1");
  EXPECT_EQ(deploy("totals", kCount), "unchanged 1");
  EXPECT_EQ(deploy("by_day", kCount), "deployed 1");
  EXPECT_EQ(deploy("totals", kCount + "-- changed"), "deployed 2");
  EXPECT_EQ(version_of("$definitions"), 3u);
  restart();
  const auto found = definitions().find("totals");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, kCount + "-- changed");
  EXPECT_EQ(found->revision, 2u);
  EXPECT_EQ(found->position.value, 3u);
  EXPECT_EQ(found->fingerprint, projection_fingerprint("totals", kCount + "-- changed"));
  EXPECT_EQ(found->file(), "totals.lua");
  ASSERT_EQ(definitions().all().size(), 2u);
  EXPECT_EQ(definitions().all()[0].name, "by_day");
  EXPECT_FALSE(definitions().find("total"));
  EXPECT_EQ(deploy("totals", kCount), "deployed 3");
}

TEST_F(ProjectionDefinitionsTest, RevisionsContinueAfterARemoval) {
  EXPECT_THAT(definitions().remove("totals"), fails_with(Errc::kNotFound));
  EXPECT_EQ(deploy("totals", kCount), "deployed 1");
  const auto changes = definitions().changes();
  EXPECT_THAT(definitions().remove("totals"), succeeds());
  EXPECT_GT(definitions().changes(), changes);
  EXPECT_FALSE(definitions().find("totals"));
  EXPECT_THAT(definitions().remove("totals"), fails_with(Errc::kNotFound));
  EXPECT_EQ(version_of("$definitions"), 2u);
  restart();
  EXPECT_TRUE(definitions().all().empty());
  EXPECT_EQ(deploy("totals", kCount), "deployed 2");
  restart();
  EXPECT_EQ(definitions().find("totals")->revision, 2u);
}

TEST_F(ProjectionDefinitionsTest, ARefusedDeploymentChangesNothing) {
  EXPECT_EQ(deploy("totals", "return projection {\n on = nobody.knows }"),
            "script: test.lua:2: attempt to index a nil value (global 'nobody')");
  EXPECT_EQ(deploy("totals", "return projection { on = {} }"),
            "script: test.lua: 'on' must have a function for at least one type of event");
  for (const std::string& wrong : {std::string(), std::string(".x"), std::string("a/b"), std::string("a b"),
                                   std::string("é"), std::string(65, 'x')}) {
    EXPECT_THAT(deploy(wrong, kCount), HasSubstr("the name of a projection has 1 to 64 letters")) << wrong;
  }
  EXPECT_EQ(version_of("$definitions"), 0u);
  EXPECT_EQ(deploy("A-Z_a.z09" + std::string(55, 'x'), kCount), "deployed 1");
}

TEST_F(ProjectionDefinitionsTest, OtherDefinitionsAreIgnored) {
  Aggregates aggregates(store());
  const AggregateDraft draft{.source = "return aggregate { category = 'order', on = {} }"};
  ASSERT_TRUE(aggregates.deploy(draft));
  append_system("UpcasterWithdrawn", R"({"type":"A","from":1,"fingerprint":"x","reason":"y"})");
  append_system("SomethingElse", "{}");
  EXPECT_EQ(deploy("totals", kCount), "deployed 1");
  EXPECT_THAT(aggregates.catch_up(), succeeds());
  EXPECT_EQ(aggregates.definitions().size(), 1u);
  Upcasters upcasters(store());
  EXPECT_THAT(upcasters.catch_up(), succeeds());
  EXPECT_EQ(upcasters.stream_version(), 4u);
}

TEST_F(ProjectionDefinitionsTest, AnUnknownProjectionEventIsRefused) {
  append_system("ProjectionPaused", "{}");
  EXPECT_THAT(ProjectionDefinitions(store(), 256).catch_up(), fails_with(Errc::kFailedPrecondition));
}

TEST_F(ProjectionDefinitionsTest, DamagedDefinitionsAreDetected) {
  for (const char* wrong : {"[]", "{}", R"({"name":"a","revision":1,"fingerprint":"x"})",
                            R"({"name":"a","revision":-1,"fingerprint":"x","source":"y"})",
                            R"({"name":"a","revision":4294967296,"fingerprint":"x","source":"y"})",
                            R"({"name":"../a","revision":1,"fingerprint":"x","source":"y"})"}) {
    EventView stored;
    stored.type = "ProjectionDeployed";
    stored.data = wrong;
    EXPECT_THAT(read_projection_event(stored), fails_with(Errc::kCorruption)) << wrong;
  }
  EventView stored;
  stored.type = "ProjectionRemoved";
  stored.data = "{}";
  EXPECT_THAT(read_projection_event(stored), fails_with(Errc::kCorruption));
}

// Two instances deploy concurrently; neither overwrites the revision of the other.
TEST_F(ProjectionDefinitionsTest, ConcurrentDeploymentsGetDifferentRevisions) {
  constexpr int kEach = 30;
  std::vector<std::uint32_t> revisions[2];
  const auto deploy_many = [&](int who) {
    ProjectionDefinitions own(store(), 256);
    for (int i = 0; i < kEach; ++i) {
      const auto outcome = own.deploy(
          {.name = "totals", .source = kCount + "-- " + std::to_string(who) + "/" + std::to_string(i)});
      if (outcome) revisions[who].push_back(outcome->definition.revision);
    }
  };
  store();
  std::thread other(deploy_many, 1);
  deploy_many(0);
  other.join();
  EXPECT_EQ(revisions[0].size() + revisions[1].size(), 2u * kEach);
  EXPECT_EQ(version_of("$definitions"), 2u * kEach);
  const StreamPage page = value_of(store().read_stream("$definitions", {}));
  std::uint32_t expected = 0;
  for (const EventView& stored : page.events) {
    EXPECT_EQ(std::get<ProjectionDefinition>(value_of(read_projection_event(stored))).revision, ++expected);
  }
}

}  // namespace
}  // namespace cairn::test

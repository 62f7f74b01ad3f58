#include "projections/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "projections/engine/follower_engine.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTotals[] = R"(return projection {
  key = function(event) return event.data.customer end,
  on = { Added = function(row, event) row.count = (row.count or 0) + 1 end },
})";

class EngineTest : public ::testing::Test {
 protected:
  static EngineOptions options(ReadModelMode mode = ReadModelMode::kBuild) {
    EngineOptions options;
    options.store = small_store();
    options.read_models = mode;
    return options;
  }

  Result<std::unique_ptr<Engine>> open(ReadModelMode mode = ReadModelMode::kBuild) {
    return Engine::open(folder_.path(), options(mode));
  }

  static GlobalPosition append(Engine& engine) {
    const auto appended = engine.store().append(
        request({to("order-1", ExpectedVersion::any(), {event("Added", R"({"customer":"ada"})")})}));
    EXPECT_THAT(appended, succeeds());
    return appended->streams[0].last_position;
  }

  template <typename Models>
  static std::string row_at(Models& models, GlobalPosition position) {
    std::promise<bool> reached;
    models.wait_for("totals", position, std::chrono::seconds(60),
                    [&](bool there) { reached.set_value(there); });
    EXPECT_TRUE(reached.get_future().get());
    const auto row = models.row("totals", "ada", false);
    EXPECT_THAT(row, succeeds());
    return row && row->json ? *row->json : "none";
  }

  TempFolder folder_;
};

TEST_F(EngineTest, BuildsReadModelsOnceItIsStarted) {
  auto engine = open();
  ASSERT_THAT(engine, succeeds());
  static_cast<void>((*engine)->daemon()->deploy({"totals", kTotals, "totals.lua"}));
  ASSERT_THAT((*engine)->start(), succeeds());
  EXPECT_EQ(row_at(*(*engine)->daemon(), append(**engine)), R"({"count":1})");
}

TEST_F(EngineTest, ContinuesWhereItWasClosed) {
  {
    auto engine = open();
    ASSERT_THAT(engine, succeeds());
    static_cast<void>((*engine)->daemon()->deploy({"totals", kTotals, "totals.lua"}));
    ASSERT_THAT((*engine)->start(), succeeds());
    append(**engine);
    (*engine)->close();
    (*engine)->close();  // nothing more happens
  }
  auto engine = open();
  ASSERT_THAT(engine, succeeds());
  ASSERT_THAT((*engine)->start(), succeeds());
  EXPECT_EQ(row_at(*(*engine)->daemon(), append(**engine)), R"({"count":2})");
}

TEST_F(EngineTest, PartsStopWhileTheStoreStillTakesAppends) {
  auto engine = open();
  ASSERT_THAT(engine, succeeds());
  std::vector<std::string> log;
  for (const std::string name : {"first", "second"}) {
    (*engine)->add({name,
                    [&log, name]() -> Status {
                      log.push_back("start " + name);
                      return {};
                    },
                    [&, name] {
                      append(**engine);
                      log.push_back("stop " + name);
                    }});
  }
  ASSERT_THAT((*engine)->start(), succeeds());
  (*engine)->close();
  EXPECT_THAT(log, ElementsAre("start first", "start second", "stop second", "stop first"));
}

TEST_F(EngineTest, WithoutReadModelsThereIsNoDaemon) {
  auto engine = open(ReadModelMode::kOff);
  ASSERT_THAT(engine, succeeds());
  EXPECT_EQ((*engine)->daemon(), nullptr);
  ASSERT_THAT((*engine)->start(), succeeds());
  EXPECT_THAT((*engine)->states().snapshots("order-1"), succeeds());
}

TEST_F(EngineTest, AStoreInUseIsRefused) {
  auto engine = open();
  ASSERT_THAT(engine, succeeds());
  const auto second = open();
  ASSERT_THAT(second, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

TEST_F(EngineTest, ReportsTheRecoveredStore) {
  EngineOptions wanted = options();
  std::uint64_t head = 99;
  wanted.on_store_open = [&](const EventStore& store, std::chrono::nanoseconds) {
    head = store.head().value;
  };
  ASSERT_THAT(Engine::open(folder_.path(), std::move(wanted)), succeeds());
  EXPECT_EQ(head, 0u);
}

TEST_F(EngineTest, AFollowerNeedsAStore) {
  EXPECT_THAT(FollowerEngine::open(folder_.path() / "nothing"), fails_with(Errc::kNotFound));
}

}  // namespace
}  // namespace cairn::test

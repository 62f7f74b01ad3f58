// The position that is answered for a generation never falls, whatever happens between two answers.

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class PositionTest : public DaemonTest {
 protected:
  PositionTest() { daemon_options().batch_positions_max = 4; }

  // Events that no projection of these tests wants: positions advance, and nothing is committed for them.
  void others(int events) {
    for (int i = 0; i < events; ++i) append("noise-1", {event("Other", "{}")});
  }
  // Rows at a checkpoint, and a position that was answered ahead of it.
  void ahead_of_its_checkpoint() {
    has_projection("customers", kByCustomer);
    added("order-1", "ada", 1);
    settle();
    others(10);
    settle();
    ASSERT_EQ(position(), head());
  }

  // A build that has applied some of its events, and committed nothing.
  void half_built() {
    has_projection("customers", kByCustomer);
    for (int i = 0; i < 9; ++i) added("order-1", "ada", 1);
    settle();
    ASSERT_THAT(daemon().rebuild("customers", 10), succeeds());
    clock().advance(ManualClock::kSecond / 2);
    settle();
    ASSERT_EQ(build_position(), 5u);
  }
  std::uint64_t build_position() {
    const auto rebuild = status("customers").rebuild;
    EXPECT_TRUE(rebuild.has_value());
    return rebuild ? rebuild->position.value : 0;
  }

  // What a status, a row and a page of rows say; all are the same.
  std::uint64_t position() {
    const std::uint64_t in_status = status("customers").position.value;
    EXPECT_EQ(value_of(daemon().row("customers", "ada", false)).position.value, in_status);
    EXPECT_EQ(value_of(daemon().rows("customers", {})).position.value, in_status);
    return in_status;
  }

  // Ends the daemon as a kill does: nothing that it would write at its end is there afterwards.
  void crash() {
    const TempFolder kept;
    copy_folder(folder() / "readmodels", kept / "readmodels");
    close_daemon();
    std::filesystem::remove_all(folder() / "readmodels");
    copy_folder(kept / "readmodels", folder() / "readmodels");
  }
};

TEST_F(PositionTest, DoesNotFallWhenAProjectionIsResumed) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  ASSERT_THAT(daemon().pause("customers"), succeeds());
  EXPECT_EQ(position(), before);
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, DoesNotFallWhenAFaultedProjectionIsResumed) {
  bool damaged = false;
  daemon_options().catch_up_shapes = [&]() -> Status {
    if (damaged) return make_error(Errc::kCorruption, "a schema cannot be read");
    return {};
  };
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  damaged = true;
  others(1);
  settle();
  ASSERT_EQ(state("customers"), "faulted");
  EXPECT_EQ(position(), before);
  damaged = false;
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, DoesNotFallWhenRowsAreKept) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  EXPECT_EQ(deploy_projection("customers", kByCustomer + "-- the same", true), "deployed 2");
  EXPECT_EQ(status("customers").generation, 1u);
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, DoesNotFallAcrossARestart) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  restart_daemon();
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, DoesNotFallAcrossAPauseAndACrash) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  ASSERT_THAT(daemon().pause("customers"), succeeds());
  crash();
  EXPECT_EQ(state("customers"), "paused");
  EXPECT_EQ(position(), before);
}

TEST_F(PositionTest, DoesNotFallAcrossACrash) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  crash();
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, DoesNotFallAcrossACrashBeforeAnEventThatCounts) {
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  added("order-1", "ada", 2);
  others(3);
  crash();
  EXPECT_GE(position(), before);
  settle();
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":3})");
  EXPECT_EQ(position(), head());
}

TEST_F(PositionTest, APauseAtTheParkedLimitOfABuildDoesNotMakeItFallEither) {
  daemon_options().parked_keys_max = 1;
  ahead_of_its_checkpoint();
  const std::uint64_t before = position();
  has_projection("customers", projection("Added = function() error('no') end",
                                         " key = function(event) return event.data.customer end,"));
  settle();
  ASSERT_EQ(state("customers"), "paused");
  EXPECT_THAT(status("customers").reason, HasSubstr("1 key is parked"));
  crash();
  EXPECT_GE(position(), before);
}

TEST_F(PositionTest, OfABuildDoesNotFallWhenItIsResumed) {
  half_built();
  const std::uint64_t before = build_position();
  ASSERT_THAT(daemon().pause("customers"), succeeds());
  EXPECT_EQ(build_position(), before);
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  EXPECT_GE(build_position(), before);
  settle();
  EXPECT_GE(build_position(), before);
}

TEST_F(PositionTest, OfABuildDoesNotFallWhenAFaultedProjectionIsResumed) {
  bool damaged = false;
  daemon_options().catch_up_shapes = [&]() -> Status {
    if (damaged) return make_error(Errc::kCorruption, "a schema cannot be read");
    return {};
  };
  half_built();
  const std::uint64_t before = build_position();
  damaged = true;
  others(1);
  settle();
  ASSERT_EQ(state("customers"), "faulted");
  EXPECT_EQ(build_position(), before);
  damaged = false;
  ASSERT_THAT(daemon().resume("customers"), succeeds());
  EXPECT_GE(build_position(), before);
  for (int i = 0; i < 10; ++i) {
    clock().advance(ManualClock::kSecond / 5);
    settle();
    const auto rebuild = status("customers").rebuild;
    if (rebuild) {
      EXPECT_GE(rebuild->position.value, before);
    }
  }
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_EQ(row("customers", "ada"), R"({"n":9,"sum":9})");
}

TEST_F(PositionTest, OfABuildDoesNotFallAcrossARestart) {
  half_built();
  const std::uint64_t before = build_position();
  restart_daemon();
  EXPECT_GE(build_position(), before);
}

TEST_F(PositionTest, OfAPausedBuildDoesNotFallAcrossACrash) {
  half_built();
  const std::uint64_t before = build_position();
  ASSERT_THAT(daemon().pause("customers"), succeeds());
  crash();
  EXPECT_EQ(build_position(), before);
}

TEST_F(PositionTest, OfTheNextBuildBeginsAgain) {
  half_built();
  ASSERT_THAT(daemon().cancel("customers"), succeeds());
  ASSERT_THAT(daemon().rebuild("customers", 10), succeeds());
  EXPECT_EQ(build_position(), 0u);
}

TEST_F(PositionTest, GoesBackOnlyWithTheGeneration) {
  ahead_of_its_checkpoint();
  ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
  settle();
  others(8);
  settle();
  const auto before = value_of(daemon().row("customers", "ada", false));
  ASSERT_THAT(daemon().rollback("customers"), succeeds());
  const auto after = value_of(daemon().row("customers", "ada", false));
  EXPECT_NE(after.generation, before.generation);
  settle();
  EXPECT_EQ(position(), head());
}

}  // namespace
}  // namespace cairn::test

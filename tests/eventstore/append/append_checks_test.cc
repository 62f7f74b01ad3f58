// The checks of an append: their order, the answer that names the first that fails, and that none reads the disk.

#include "eventstore/append/append_checks.h"

#include <chrono>
#include <future>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

MATCHER_P(fails_check, name, std::string("fails the check ") + std::string(to_string(name))) {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << to_string(arg.error().code) << ": " << arg.error().message;
  return arg.error().check == name;
}

// A store with the events A, B and a definition: cart-1 is at version 2, the revision is 1, the head is 3.
class AppendChecksTest : public SettledStoreTest {
 protected:
  static constexpr std::uint64_t kVersion = 2;
  static constexpr std::uint64_t kRevision = 1;
  static constexpr std::uint64_t kHead = 3;

  void given() {
    append("cart-1", {"A"});
    halfway();
    append("cart-1", {event(id(1), "B")});
    AppendRequest definition =
        request({to(std::string(kDefinitionStream), ExpectedVersion::any(), {event("D")})});
    definition.origin = Origin::kSystem;
    ASSERT_THAT(submit(definition), succeeds());
    settle();
  }

  // Each check holds, or fails.
  struct Holds {
    bool versions, revision, condition;
  };
  static AppendRequest checked(Holds holds, NewEvent event) {
    const std::uint64_t version = holds.versions ? kVersion : kVersion + 5;
    AppendRequest made = request({to("cart-1", ExpectedVersion::exactly(version), {std::move(event)})});
    made.checks.revision = SchemaRevision{holds.revision ? kRevision : kRevision + 5};
    made.checks.condition = no_events_behind({"D"}, {holds.condition ? kHead : kHead - 1});
    return made;
  }
};
CAIRN_FOR_EVERY_SETTLED(AppendChecksTest);

TEST_P(AppendChecksTest, TheFirstThatFailsIsNamed) {
  given();
  for (int which = 0; which < 8; ++which) {
    const Holds holds{(which & 4) != 0, (which & 2) != 0, (which & 1) != 0};
    const auto answer = submit(checked(holds, event("C")));
    if (!holds.versions) {
      EXPECT_THAT(answer, fails_check(AppendCheck::kVersions)) << which;
      EXPECT_THAT(answer, fails_with(Errc::kVersionConflict)) << which;
    } else if (!holds.revision) {
      EXPECT_THAT(answer, fails_check(AppendCheck::kRevision)) << which;
      EXPECT_THAT(answer, fails_with(Errc::kStale)) << which;
    } else if (!holds.condition) {
      EXPECT_THAT(answer, fails_check(AppendCheck::kCondition)) << which;
      EXPECT_THAT(answer, fails_with(Errc::kStale)) << which;
    } else {
      EXPECT_THAT(answer, succeeds()) << which;
    }
    EXPECT_EQ(head(), which == 7 ? kHead + 1 : kHead);
  }
}

TEST_P(AppendChecksTest, ARepeatWinsOverAllOfThem) {
  given();
  for (int which = 0; which < 8; ++which) {
    AppendRequest again = checked({true, (which & 2) != 0, (which & 1) != 0}, event(id(1), "B"));
    // Of the streams of the request: the one that has the event, and one that is only checked.
    again.streams[0].expected = ExpectedVersion::exactly(kVersion - 1);
    again.streams.push_back(
        check("cart-2", (which & 4) != 0 ? ExpectedVersion::no_stream() : ExpectedVersion::exists()));
    const auto answer = submit(again);
    ASSERT_THAT(answer, succeeds()) << which;
    EXPECT_TRUE(answer->already_applied);
    EXPECT_EQ(answer->streams[0].first_version.value, kVersion);
    again.only_if_repeated = true;
    EXPECT_THAT(submit(again), succeeds()) << which;
  }
  EXPECT_EQ(head(), kHead);
}

TEST_P(AppendChecksTest, ARequestThatMustBeARepeatIsNotChecked) {
  given();
  AppendRequest made = checked({false, false, false}, event(id(2), "C"));
  made.only_if_repeated = true;
  const auto answer = submit(made);
  EXPECT_THAT(answer, fails_with(Errc::kNotFound));
  EXPECT_EQ(answer.error().check, std::nullopt);
}

TEST_P(AppendChecksTest, AnIdOfAnotherEventIsNoCheck) {
  given();
  const auto answer = submit(checked({true, false, false}, event(id(1), "Other")));
  EXPECT_THAT(answer, fails_with(Errc::kEventIdReused));
  EXPECT_EQ(answer.error().check, std::nullopt);
}

TEST_P(AppendChecksTest, OfTheStreamsTheFirstOfTheRequestIsNamed) {
  given();
  const StreamAppend only_checked = check("cart-2", ExpectedVersion::exists());
  const StreamAppend written = to("cart-1", ExpectedVersion::exactly(kVersion + 5), {event("C")});
  for (const auto& [streams, first] : {std::pair{std::vector{only_checked, written}, "cart-2"},
                                       std::pair{std::vector{written, only_checked}, "cart-1"}}) {
    const auto answer = submit(request(streams));
    ASSERT_THAT(answer, fails_check(AppendCheck::kVersions));
    EXPECT_EQ(answer.error().stream, first);
  }
}

// --- What the writer thread reads for a check

// A log that must not be read.
class UnreadableLog final : public BlockSource {
 public:
  Result<std::unique_ptr<BlockCursor>> cursor() override {
    ++reads_;
    return make_error(Errc::kIo, "the log was read");
  }
  int reads() const { return reads_; }

 private:
  std::atomic<int> reads_ = 0;
};

class ChecksInMemoryTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kEnd = 5;  // of the log; the tail is empty, as after a start

  void SetUp() override {
    auto opened = Index::open(folder_.path(), {.map_bytes = 16u << 20, .readers_max = 1});
    ASSERT_THAT(opened, succeeds());
    index_ = *std::move(opened);
    state_.emplace(PendingState::Parts{.log = log_,
                                       .tail = tail_,
                                       .index = *index_,
                                       .id_window = window_,
                                       .store_id = {},
                                       .id_key = {},
                                       .revision = {3}},
                   planned_);
    state_->begin({kEnd + 1}, {1'000'000});
  }

  TempFolder folder_;
  UnreadableLog log_;
  Tail tail_;
  IdWindow window_{7};
  std::unique_ptr<Index> index_;
  const std::vector<BlockContents::Event> planned_;
  std::optional<PendingState> state_;
};

TEST_F(ChecksInMemoryTest, NoCheckOpensAReadTransaction) {
  // The head of a stream is looked up in the index when the tail lacks it.
  const auto stream = state_->stream("cart-1");
  ASSERT_THAT(stream, succeeds());
  EXPECT_EQ(index_->open_readers(), 1u);
  state_->release_readers();
  ASSERT_EQ(index_->open_readers(), 0u);

  const std::vector<PendingState::Stream*> streams = {*stream};
  const auto answer_to = [&](ExpectedVersion expected, AppendChecks checks) {
    AppendRequest made = request({to("cart-1", expected, {event("A")})});
    made.checks = std::move(checks);
    return cairn::check(made, streams, *state_);
  };
  // The index has one reader, and it is taken: who begins another one waits.
  auto reader = std::make_optional(index_->read());
  ASSERT_THAT(*reader, succeeds());
  auto checked = std::async(std::launch::async, [&] {
    EXPECT_THAT(answer_to(ExpectedVersion::exists(), {}), fails_check(AppendCheck::kVersions));
    EXPECT_THAT(answer_to(ExpectedVersion::any(), {.revision = SchemaRevision{2}}),
                fails_check(AppendCheck::kRevision));
    const auto far_behind =
        answer_to(ExpectedVersion::any(), {.condition = no_events_behind({"A"}, {kEnd - 3})});
    EXPECT_THAT(far_behind, fails_check(AppendCheck::kCondition));
    EXPECT_THAT(far_behind, fails_with(Errc::kStale));
    EXPECT_THAT(far_behind.error().message, HasSubstr("only events from position 6 on are in memory"));
    EXPECT_THAT(answer_to(ExpectedVersion::any(),
                          {.revision = SchemaRevision{3}, .condition = no_events_behind({"A"}, {kEnd})}),
                succeeds());
  });
  EXPECT_EQ(checked.wait_for(std::chrono::seconds(20)), std::future_status::ready)
      << "a check waits for a reader of the index";
  EXPECT_EQ(index_->open_readers(), 1u);
  reader.reset();
  checked.get();
  EXPECT_EQ(log_.reads(), 0);
}

}  // namespace
}  // namespace cairn::test

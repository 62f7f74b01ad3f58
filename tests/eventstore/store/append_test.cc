// What an append returns for each expected version, and what it leaves in the store.

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AppendTest : public SettledStoreTest {};
CAIRN_FOR_EVERY_SETTLED(AppendTest);

TEST_P(AppendTest, NumbersStartAtOneAndHaveNoGaps) {
  auto first = append("cart-1", {"A", "B"});
  halfway();
  auto second = append("cart-2", {"C"});
  settle();
  auto third = append("cart-1", {"D"});

  EXPECT_EQ(first.first_version, StreamVersion{1});
  EXPECT_EQ(first.last_version, StreamVersion{2});
  EXPECT_EQ(first.first_position, GlobalPosition{1});
  EXPECT_EQ(first.last_position, GlobalPosition{2});
  EXPECT_EQ(second.first_version, StreamVersion{1});
  EXPECT_EQ(second.first_position, GlobalPosition{3});
  EXPECT_EQ(third.first_version, StreamVersion{3});
  EXPECT_EQ(third.last_version, StreamVersion{3});
  EXPECT_EQ(third.first_position, GlobalPosition{4});
  EXPECT_EQ(head(), 4u);
}

TEST_P(AppendTest, AnEventIsReadAsItWasAppended) {
  NewEvent given = event(id(7), "ItemAdded", std::string("any bytes: \0\x01\xff\xfe", 16));
  given.metadata = R"({"correlationId":"c-1"})";
  given.tags = {"customer:7", "", "größe:xl"};
  given.tags[1] = "b";
  given.schema = SchemaId{4711};
  append("cart-1", {given});
  settle();

  auto events = events_in("cart-1");
  ASSERT_EQ(events.size(), 1u);
  Event expected{
      1, 1, "cart-1", "ItemAdded", id(7), 4711, clock().now().micros, given.data, given.metadata, given.tags};
  EXPECT_EQ(events[0], expected);
  EXPECT_THAT(log(), ElementsAre(expected));
}

TEST_P(AppendTest, EmptyDataMetadataAndTagsStayEmpty) {
  append("cart-1", {event("Bare", "")});
  settle();
  auto events = events_in("cart-1");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].data, "");
  EXPECT_EQ(events[0].metadata, "");
  EXPECT_THAT(events[0].tags, IsEmpty());
}

TEST_P(AppendTest, TheCurrentExactVersionIsAccepted) {
  append("cart-1", {"A", "B"});
  halfway();
  settle();
  EXPECT_THAT(append_expecting("cart-1", 2, {event("C")}), succeeds());
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B", "C"));
}

TEST_P(AppendTest, StaleAndFutureVersionsChangeNothingAndReportTheCurrentOne) {
  append("cart-1", {"A", "B", "C"});
  settle();
  for (std::uint64_t wrong : {0, 1, 2, 4, 1000}) {
    auto result = append_expecting("cart-1", wrong, {event("X")});
    ASSERT_THAT(result, fails_with(Errc::kVersionConflict)) << wrong;
    EXPECT_EQ(result.error().version, 3u);
    EXPECT_EQ(result.error().stream, "cart-1");
    EXPECT_EQ(result.error().expected_version, std::to_string(wrong));
  }
  reopen();
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B", "C"));
  EXPECT_EQ(head(), 3u);
}

TEST_P(AppendTest, NoStreamMeansTheStreamMustNotExist) {
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::no_stream(), {event("A")}), succeeds());
  settle();
  auto again = append_expecting("cart-1", ExpectedVersion::no_stream(), {event("B")});
  ASSERT_THAT(again, fails_with(Errc::kVersionConflict));
  EXPECT_EQ(again.error().version, 1u);
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A"));
}

TEST_P(AppendTest, AnExactVersionOfAStreamThatDoesNotExistConflictsWithZero) {
  append("other-1", {"A"});
  settle();
  auto result = append_expecting("cart-1", 1, {event("B")});
  ASSERT_THAT(result, fails_with(Errc::kVersionConflict));
  EXPECT_EQ(result.error().version, 0u);
  EXPECT_EQ(value_of(store().stream_info("cart-1")), std::nullopt);
}

TEST_P(AppendTest, AnyIsAcceptedAtEveryVersion) {
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), {event("A")}), succeeds());
  settle();
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), {event("B")}), succeeds());
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B"));
}

TEST_P(AppendTest, ExistsRequiresAtLeastOneEvent) {
  append("cart-1", {"A"});
  settle();
  auto absent = append_expecting("cart-2", ExpectedVersion::exists(), {event("X")});
  ASSERT_THAT(absent, fails_with(Errc::kVersionConflict));
  EXPECT_EQ(absent.error().version, 0u);
  EXPECT_EQ(absent.error().expected_version, "exists");
  EXPECT_EQ(absent.error().stream, "cart-2");
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::exists(), {event("B")}), succeeds());
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B"));
}

TEST_P(AppendTest, SeveralStreamsAreAdjacentInTheOrderOfTheRequest) {
  append("b-1", {"Before"});
  halfway();
  auto result = submit({to("c-1", ExpectedVersion::no_stream(), {event("C1"), event("C2")}),
                        to("a-1", ExpectedVersion::any(), {event("A1")}),
                        to("b-1", ExpectedVersion::exactly(1), {event("B2"), event("B3")})});
  ASSERT_THAT(result, succeeds());
  settle();
  ASSERT_EQ(result->streams.size(), 3u);
  EXPECT_EQ(result->streams[0].stream, "c-1");
  EXPECT_EQ(result->streams[1].stream, "a-1");
  EXPECT_EQ(result->streams[2].stream, "b-1");
  EXPECT_EQ(result->streams[2].first_version, StreamVersion{2});
  EXPECT_EQ(result->streams[2].last_version, StreamVersion{3});
  EXPECT_EQ(result->streams[2].first_position, GlobalPosition{5});
  EXPECT_EQ(result->streams[2].last_position, GlobalPosition{6});
  EXPECT_THAT(types_of(log()), ElementsAre("Before", "C1", "C2", "A1", "B2", "B3"));
}

TEST_P(AppendTest, OneStaleStreamRefusesTheWholeRequest) {
  append("a-1", {"A"});
  settle();
  auto result = submit({to("b-1", ExpectedVersion::any(), {event("B")}),
                        to("a-1", ExpectedVersion::exactly(7), {event("X")}),
                        to("c-1", ExpectedVersion::no_stream(), {event("C")})});
  ASSERT_THAT(result, fails_with(Errc::kVersionConflict));
  EXPECT_EQ(result.error().stream, "a-1");
  EXPECT_EQ(result.error().version, 1u);
  reopen();
  EXPECT_THAT(types_of(log()), ElementsAre("A"));
}

TEST_P(AppendTest, ACheckOnlyStreamIsComparedAndNotChanged) {
  append("cart-1", {"A", "B"});
  halfway();
  settle();
  auto result =
      submit({to("order-1", ExpectedVersion::no_stream(), {event("Placed")}),
              check("cart-1", ExpectedVersion::exactly(2)), check("ghost-1", ExpectedVersion::no_stream())});
  ASSERT_THAT(result, succeeds());
  ASSERT_EQ(result->streams.size(), 3u);
  EXPECT_EQ(result->streams[1].stream, "cart-1");
  EXPECT_EQ(result->streams[1].last_version, StreamVersion{2});
  EXPECT_EQ(result->streams[1].first_version, StreamVersion{0});
  EXPECT_EQ(result->streams[1].first_position, GlobalPosition{0});
  EXPECT_EQ(result->streams[1].last_position, GlobalPosition{0});
  EXPECT_EQ(result->streams[2].last_version, StreamVersion{0});
  EXPECT_EQ(version_of("cart-1"), 2u);
  EXPECT_EQ(value_of(store().stream_info("ghost-1")), std::nullopt);
  EXPECT_EQ(head(), 3u);
}

TEST_P(AppendTest, AFailedCheckRefusesTheEvents) {
  append("cart-1", {"A", "B"});
  settle();
  auto result = submit({to("order-1", ExpectedVersion::no_stream(), {event("Placed")}),
                        check("cart-1", ExpectedVersion::exactly(1))});
  ASSERT_THAT(result, fails_with(Errc::kVersionConflict));
  EXPECT_EQ(result.error().stream, "cart-1");
  EXPECT_EQ(result.error().version, 2u);
  EXPECT_THAT(submit({to("order-1", ExpectedVersion::any(), {event("P")}),
                      check("ghost-1", ExpectedVersion::exists())}),
              fails_with(Errc::kVersionConflict));
  EXPECT_EQ(version_of("order-1"), 0u);
  EXPECT_EQ(head(), 2u);
}

TEST_P(AppendTest, ARequestThatOnlyChecksReturnsTheVersions) {
  append("cart-1", {"A", "B"});
  settle();
  auto result = submit({check("cart-1", ExpectedVersion::any())});
  ASSERT_THAT(result, succeeds());
  EXPECT_EQ(result->streams.at(0).last_version, StreamVersion{2});
  EXPECT_THAT(submit({check("cart-1", ExpectedVersion::exactly(1))}), fails_with(Errc::kVersionConflict));
  EXPECT_EQ(head(), 2u);
}

TEST_P(AppendTest, EventsWithoutIdsGetUniqueOnes) {
  append("cart-1", {"A", "A", "A"});
  halfway();
  append("cart-1", {"A"});
  settle();
  auto events = events_in("cart-1");
  ASSERT_EQ(events.size(), 4u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_NE(events[i].id, Uuid{});
    EXPECT_EQ(events[i].id.bytes[6] >> 4, 7) << "a UUIDv7";
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(events[i].id, events[j].id);
  }
}

TEST_P(AppendTest, TheSystemMayWriteSystemStreams) {
  AppendRequest own = request({to("$schemas", ExpectedVersion::no_stream(), {event("SchemaRegistered")})});
  own.origin = Origin::kSystem;
  ASSERT_THAT(submit(own), succeeds());
  settle();
  EXPECT_THAT(types_in("$schemas"), ElementsAre("SchemaRegistered"));
}

TEST_P(AppendTest, ABatchLargerThanABlockStaysWhole) {
  options().block_events_max = 10;
  std::vector<NewEvent> events(1'000, event("Many"));
  auto result = append("cart-1", events);
  settle();
  EXPECT_EQ(result.last_version, StreamVersion{1'000});
  EXPECT_EQ(result.last_position, GlobalPosition{1'000});
  EXPECT_EQ(events_in("cart-1", Direction::kForward, 300).size(), 1'000u);
}

TEST_P(AppendTest, AsynchronousAppendsReturnTheSameAnswers) {
  append("cart-1", {"A"});
  settle();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Result<AppendResult>> answers;
  auto answer = [&](Result<AppendResult> result) {
    std::lock_guard lock(mutex);
    answers.push_back(std::move(result));
    changed.notify_all();
  };
  auto wait_for_answers = [&](std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answers.size() == count; });
  };
  store().append_async(request({to("cart-1", ExpectedVersion::exactly(1), {event("B")})}), answer);
  wait_for_answers(1);
  store().append_async(request({to("cart-1", ExpectedVersion::exactly(1), {event("C")})}), answer);
  wait_for_answers(2);
  ASSERT_THAT(answers[0], succeeds());
  EXPECT_EQ(answers[0]->streams.at(0).last_version, StreamVersion{2});
  EXPECT_THAT(answers[1], fails_with(Errc::kVersionConflict));
  EXPECT_THAT(types_in("cart-1"), ElementsAre("A", "B"));
}

}  // namespace
}  // namespace cairn::test

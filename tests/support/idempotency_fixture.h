#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/store_fixture.h"

namespace cairn::test {

// Fixture for retries of the same request.
class IdempotencyTest : public SettledStoreTest {
 protected:
  // Expects the answer `first` again, and no new events.
  void expect_repeat_of(const AppendResult& first, const AppendRequest& request) {
    const std::uint64_t head_before = head();
    auto again = submit(request);
    ASSERT_THAT(again, succeeds());
    EXPECT_TRUE(again->already_applied);
    ASSERT_EQ(again->streams.size(), first.streams.size());
    for (std::size_t i = 0; i < first.streams.size(); ++i) {
      EXPECT_EQ(again->streams[i].stream, first.streams[i].stream);
      EXPECT_EQ(again->streams[i].first_version, first.streams[i].first_version);
      EXPECT_EQ(again->streams[i].last_version, first.streams[i].last_version);
      EXPECT_EQ(again->streams[i].first_position, first.streams[i].first_position);
      EXPECT_EQ(again->streams[i].last_position, first.streams[i].last_position);
    }
    EXPECT_EQ(head(), head_before);
  }

  // Expects that the request is new and adds its events.
  AppendResult expect_new(const AppendRequest& request) {
    const std::uint64_t head_before = head();
    std::uint64_t events = 0;
    for (const StreamAppend& stream : request.streams) events += stream.events.size();
    auto result = submit(request);
    EXPECT_THAT(result, succeeds());
    if (!result.ok()) return {};
    EXPECT_FALSE(result->already_applied);
    EXPECT_EQ(head(), head_before + events);
    return *std::move(result);
  }

  // Expects a refusal because `id` belongs to `version` of `stream`, and no new events.
  void expect_reused(const AppendRequest& request, Uuid id, const std::string& stream,
                     std::uint64_t version) {
    const std::uint64_t head_before = head();
    auto result = submit(request);
    ASSERT_THAT(result, fails_with(Errc::kEventIdReused));
    EXPECT_EQ(result.error().event_id, id);
    EXPECT_EQ(result.error().stream, stream);
    EXPECT_EQ(result.error().version, version);
    EXPECT_EQ(head(), head_before);
  }

  // Expects some error, and that neither a second copy nor a part of the request is written.
  void expect_nothing_added(const AppendRequest& request) {
    const std::uint64_t head_before = head();
    auto result = submit(request);
    EXPECT_THAT(result, fails_with_either(Errc::kEventIdReused, Errc::kVersionConflict));
    EXPECT_EQ(head(), head_before);
  }

  static AppendRequest one(ExpectedVersion expected, std::vector<NewEvent> events,
                           std::string stream = "cart-1") {
    return request({to(std::move(stream), expected, std::move(events))});
  }
  static ExpectedVersion any() { return ExpectedVersion::any(); }
  static ExpectedVersion exists() { return ExpectedVersion::exists(); }
  static ExpectedVersion exactly(std::uint64_t version) { return ExpectedVersion::exactly(version); }

  static NewEvent full_event(std::uint64_t n) {
    NewEvent made = event(id(n), "ItemAdded", R"({"item":"apple"})");
    made.metadata = R"({"correlationId":"c"})";
    made.tags = {"customer:7", "region:eu"};
    return made;
  }
};

}  // namespace cairn::test

#include "api/net/blocked_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::api {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

using Clock = std::chrono::steady_clock;
using Ids = std::vector<std::uint64_t>;

constexpr ClientId kOther = 100;

// Streams of clients that share 100 bytes. A stream's client has the same number.
class BlockedStreamsTest : public ::testing::Test {
 protected:
  void stream(std::uint64_t id, Clock::duration blocked, std::size_t bytes, ClientId client = 0) {
    const ClientId of = client == 0 ? id : client;
    EXPECT_EQ(use_.check(bytes, of), MemoryUse::Grown::kYes) << id;
    if (bytes > 0) use_.add(bytes, of);
    streams_.push_back({id, now_ - blocked, of, bytes});
  }

  static Ids ids(const std::vector<BlockedStream>& streams) {
    Ids ids;
    for (const BlockedStream& each : streams) ids.push_back(each.connection);
    return ids;
  }

  // Those that are closed so that a client may have `bytes`; nullopt when it is refused.
  std::optional<Ids> closed_for(std::size_t bytes, ClientId client = kOther) {
    const auto closed = streams_to_close(closable(streams_, now_, 1s), use_, bytes, client);
    return closed ? std::optional(ids(*closed)) : std::nullopt;
  }

  const Clock::time_point now_ = Clock::time_point(1h);
  MemoryUse use_{100};
  std::vector<BlockedStream> streams_;
};

TEST_F(BlockedStreamsTest, TheLongestBlockedIsFirst) {
  stream(1, 2s, 0);
  stream(2, 30s, 0);
  stream(3, 1s, 0);
  EXPECT_THAT(ids(closable(streams_, now_, 1s)), ElementsAre(2, 1, 3));
}

TEST_F(BlockedStreamsTest, AStreamThatMadeProgressAMomentAgoIsNotClosed) {
  stream(1, 1s - 1ns, 0);
  stream(2, 0s, 0);
  EXPECT_THAT(closable(streams_, now_, 1s), IsEmpty());
}

TEST_F(BlockedStreamsTest, AsManyAreClosedAsAreNeeded) {
  stream(1, 3s, 20);
  stream(2, 5s, 20);
  stream(3, 4s, 20);
  stream(4, 2s, 20);
  EXPECT_THAT(closed_for(20), Optional(IsEmpty())) << "there is room";
  EXPECT_THAT(closed_for(21), Optional(ElementsAre(2)));
  EXPECT_THAT(closed_for(33), Optional(ElementsAre(2, 3)));
  EXPECT_THAT(closed_for(75), Optional(ElementsAre(2, 3, 1, 4)));
}

TEST_F(BlockedStreamsTest, NoneIsClosedWhenAllWouldNotBeEnough) {
  stream(1, 3s, 40);
  stream(2, 0s, 40);
  EXPECT_EQ(closed_for(70), std::nullopt);
  EXPECT_EQ(closed_for(101), std::nullopt);
}

TEST_F(BlockedStreamsTest, AStreamWithoutMemoryIsNotClosedForMemory) {
  stream(1, 9s, 0);
  stream(2, 3s, 40);
  stream(3, 2s, 40);
  EXPECT_THAT(closed_for(30), Optional(ElementsAre(2)));
}

// 429 instead of 503: the memory would do, and the client has more than its share of it.
TEST_F(BlockedStreamsTest, AClientBeyondItsShareIsServedToo) {
  stream(1, 3s, 40, 1);
  stream(2, 2s, 30, 1);
  EXPECT_EQ(use_.check(10, 1), MemoryUse::Grown::kOverShare);
  EXPECT_THAT(closed_for(10, 1), Optional(ElementsAre(1)));
}

}  // namespace
}  // namespace cairn::api

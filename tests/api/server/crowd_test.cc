// Many clients at once: each is served, or gets 503.

#include <sys/resource.h>

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class CrowdTest : public ApiTest {
 protected:
  // File descriptors for that many connections, in the test and in the server that it starts.
  static bool may_open(rlim_t files) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= files) return true;
    limit.rlim_cur = std::min(limit.rlim_max, files);
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= files;
  }
  std::vector<RawClient> connect(std::size_t count) {
    std::vector<RawClient> crowd;
    for (std::size_t i = 0; i < count; ++i) {
      crowd.push_back(raw());
      EXPECT_TRUE(crowd.back().connected()) << i;
    }
    return crowd;
  }
};

TEST_F(CrowdTest, AThousandConnectionsAreServed) {
  if (!may_open(2'000)) GTEST_SKIP() << "not enough descriptors";
  serve();
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  expect_healthy();
  const std::size_t before = server_memory_kib();
  std::vector<RawClient> crowd = connect(1'000);
  for (RawClient& each : crowd) ASSERT_TRUE(each.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  for (RawClient& each : crowd) {
    const RawResponse answer = each.receive();
    ASSERT_EQ(answer.status, 200);
    ASSERT_THAT(answer.body, HasSubstr("\"head\":1"));
  }
  expect_healthy();
  EXPECT_LT(server_memory_kib(), before + 1'000 * 64) << "KiB, before: " << before;
  for (RawClient& each : crowd) ASSERT_EQ(each.get("/health").status, 200) << "a second time";
}

TEST_F(CrowdTest, AThousandWritersAreAnswered) {
  if (!may_open(2'000)) GTEST_SKIP() << "not enough descriptors";
  serve();
  std::vector<RawClient> crowd = connect(1'000);
  const std::string body = events_text({event_text("T")});
  for (RawClient& each : crowd) {
    ASSERT_TRUE(
        each.send("POST /streams/a-1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body));
  }
  for (RawClient& each : crowd) ASSERT_EQ(each.receive().status, 201);
  EXPECT_EQ(head(), 1'000u);
}

TEST_F(CrowdTest, SilentConnectionsLockNobodyOut) {
  if (!may_open(9'000)) GTEST_SKIP() << "not enough descriptors";
  serve();
  RawClient before = raw();
  ASSERT_EQ(before.get("/health").status, 200);
  std::vector<RawClient> crowd = connect(4'200);
  EXPECT_EQ(new_client().append("a-1", {event_text("T")}).status, 201);
  EXPECT_EQ(before.get("/health").status, 200) << "who was served stays";
  EXPECT_TRUE(crowd.front().is_closed());
}

TEST_F(CrowdTest, ConnectionsBeyondTheLimitGet503UntilOthersClose) {
  if (!may_open(9'000)) GTEST_SKIP() << "not enough descriptors";
  serve();
  {
    std::vector<RawClient> crowd;
    for (int i = 0; i < 4'095; ++i) {  // The fixture's client has one connection of its own.
      crowd.push_back(raw());
      ASSERT_EQ(crowd.back().get("/health").status, 200) << i;
    }
    RawClient one_too_many = raw();
    const RawResponse refused = one_too_many.get("/health");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.head, HasSubstr("Retry-After: "));
    EXPECT_THAT(refused.head, HasSubstr("application/problem+json"));
    EXPECT_THAT(refused.body, HasSubstr("\"/problems/overloaded\""));
    EXPECT_EQ(crowd.front().get("/health").status, 200) << "who is in is served";
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (raw().get("/health").status != 200) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it did not recover";
  }
  ASSERT_EQ(new_client().append("a-1", {event_text("T")}).status, 201);
}

}  // namespace
}  // namespace cairn::test

// Hostile clients are refused or disconnected, while a well-behaved client is answered within 100 ms.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class HostileTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    ASSERT_EQ(append("order-1", {event_text("T")}).status, 201);
    expect_healthy();
    memory_before_ = server_memory_kib();
  }
  void TearDown() override {
    expect_healthy();
    EXPECT_EQ(head(), 1u) << "something was stored";
    EXPECT_EQ(append("order-1", {event_text("T")}, "1").status, 201);
  }

  static std::string post_head(const std::string& more) {
    return "POST /streams/order-1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           more + "\r\n";
  }
  // Expects this status, after which the connection is closed.
  void expect_refused(const std::string& bytes, int status) {
    RawClient hostile = raw();
    const RawResponse answer = hostile.exchange(bytes);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_THAT(answer.head, HasSubstr("application/problem+json"));
    EXPECT_TRUE(hostile.is_closed());
    expect_healthy();
  }
  void expect_memory_below(std::size_t kib_more) {
    EXPECT_LT(server_memory_kib(), memory_before_ + kib_more) << "KiB, before: " << memory_before_;
  }

  std::size_t memory_before_ = 0;
};

TEST_F(HostileTest, TwoHundredIdleConnections) {
  std::vector<RawClient> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(raw());
    ASSERT_TRUE(idle.back().connected());
  }
  expect_healthy();
  EXPECT_EQ(get("/events").status, 200);
  for (RawClient& late : idle) EXPECT_EQ(late.get("/health").status, 200);
  expect_memory_below(200 * 64);
}

TEST_F(HostileTest, FiftyClientsThatSendAByteAtATime) {
  const std::string body =
      events_text({event_text("T")}, "7");  // the wrong version, so that nothing is stored
  const std::string bytes = post_head("Content-Length: " + std::to_string(body.size()) + "\r\n") + body;
  std::vector<RawClient> slow;
  for (int i = 0; i < 50; ++i) slow.push_back(raw());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (RawClient& each : slow) ASSERT_TRUE(each.send(bytes.substr(at, 1)));
    if (at % 40 == 0) expect_healthy();
  }
  for (RawClient& each : slow) EXPECT_EQ(each.receive().status, 409);
}

TEST_F(HostileTest, ABodyOf64MebibytesIsRefusedByItsLengthAlone) {
  expect_refused(post_head("Content-Length: 67108864\r\n"), 413);
  EXPECT_THAT(raw().exchange(post_head("Content-Length: 18446744073709551615\r\n")).status, AnyOf(400, 413));
  EXPECT_THAT(raw().exchange(post_head("Content-Length: 18446744073709551616\r\n")).status, AnyOf(400, 413));
  EXPECT_EQ(raw().exchange(post_head("Content-Length: -1\r\n")).status, 400);
  EXPECT_EQ(raw().exchange(post_head("Content-Length: +5\r\n")).status, 400);
  EXPECT_EQ(raw().exchange(post_head("Content-Length: 5x\r\n")).status, 400);
  expect_memory_below(4u << 10);
}

TEST_F(HostileTest, ABodyOf64MebibytesThatIsSentAnyway) {
  RawClient hostile = raw();
  const std::string mebibyte(1u << 20, 'x');
  hostile.send(post_head("Content-Length: 67108864\r\n"));
  bool taken = true;
  for (int i = 0; i < 64 && taken; ++i) taken = hostile.send(mebibyte);
  // The answer can be lost with the connection; only the end of the connection is checked.
  const int status = hostile.receive().status;
  EXPECT_THAT(status, AnyOf(413, 0));
  EXPECT_FALSE(hostile.send("x") && hostile.send("x") && hostile.get("/health").status == 200);
  expect_healthy();
  expect_memory_below(8u << 10);
}

TEST_F(HostileTest, LargeContentLengthsAloneReserveNothing) {
  std::vector<RawClient> claims;
  for (int i = 0; i < 40; ++i) {
    claims.push_back(raw());
    claims.back().send(post_head("Content-Length: 16777216\r\n"));
    claims.back().send("{\"events\":[");
  }
  expect_healthy();
  EXPECT_EQ(append("order-1", {event_text("T")}, "9").status, 409) << "a small body must fit into the budget";
  expect_memory_below(32u << 10);
}

// The budget of all bodies is 256 MiB. Bodies beyond it get 503; small bodies still fit.
TEST_F(HostileTest, UnfinishedLargeBodiesStayWithinTheBudget) {
  const std::string most = "{\"events\":[" + std::string(15u << 20, ' ');
  std::vector<RawClient> greedy;
  for (int i = 0; i < 24; ++i) {
    greedy.push_back(raw());
    greedy.back().send(post_head("Content-Length: 16777216\r\n") + most);
  }
  expect_healthy();
  EXPECT_THAT(append("order-1", {event_text("T")}, "9").status, AnyOf(409, 503));
  // Twice the budget: a body's buffer grows by doubling, and the heap may keep the smaller buffers.
  expect_memory_below(512u << 10);
  int refused = 0;  // because the budget is used up, or because it nearly is and the client has its share
  for (RawClient& each : greedy) {
    if (!each.readable_within(0ms)) continue;
    const int status = each.receive().status;
    refused += status == 503 || status == 429;
  }
  EXPECT_GE(refused, 24 - 17) << "the budget was exceeded";
  greedy.clear();
  const auto deadline = std::chrono::steady_clock::now() + 100s;
  while (append("order-1", {event_text("T")}, "9").status != 409) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the budget was not released";
  }
}

TEST_F(HostileTest, ChunksCompressionAndTwoLengthsAreRefused) {
  expect_refused(post_head("Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n", 411);
  expect_refused(post_head("Content-Encoding: gzip\r\nContent-Length: 5\r\n") + "hello", 415);
  expect_refused(post_head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", 400);
  expect_refused(post_head("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") + "0\r\n\r\n", 400);
  expect_refused(post_head("Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!", 400);
  expect_refused(post_head("Content-Length: 5, 6\r\n") + "hello!", 400);
  EXPECT_THAT(raw().exchange(post_head("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n").status,
              AnyOf(400, 411, 501));
  EXPECT_THAT(
      raw().exchange(post_head("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n") + "hello").status,
      400);
  EXPECT_THAT(
      raw().exchange(post_head("Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n") + "hello").status,
      400);
}

TEST_F(HostileTest, EndlessHeadsAreRefused) {
  expect_refused("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(8u << 20, 'x'), 431);
  std::string many = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 5'000; ++i) many += "A: b\r\n";
  expect_refused(many + "\r\n", 431);
  std::string above_the_limit = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 100; ++i) above_the_limit += "A: b\r\n";
  expect_refused(above_the_limit + "\r\n", 431);
  EXPECT_EQ(raw().get("/events?type=" + std::string(8'000, 'x')).status, 414);
  EXPECT_THAT(raw().get("/" + std::string(1u << 20, 'x')).status, AnyOf(414, 431));
  expect_memory_below(8u << 10);
}

TEST_F(HostileTest, BytesThatAreNotHttpAreRefused) {
  for (const std::string& bytes :
       {std::string("\r\n\r\n\r\n\r\n"), std::string("hello\r\n\r\n"), std::string(100'000, '\0'),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(600, 'x') + "\r\n\r\n",
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string("GET /health\r\n\r\n"),
        std::string("GET  /health HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET /health HTTP/1.1\r\n\r\n"),
        std::string("GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n"),
        std::string("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
        std::string("GET /health HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n"),
        std::string("GET /health HTTP/1.1\nHost: localhost\n\n\r\n\r\n"),
        std::string("GET /\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n")}) {
    SCOPED_TRACE(::testing::PrintToString(bytes.substr(0, 60)));
    RawClient hostile = raw();
    hostile.send(bytes);
    ASSERT_TRUE(hostile.readable_within(15s)) << "neither an answer nor an end";
    const int status = hostile.receive().status;
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 600)) << status;
  }
}

TEST_F(HostileTest, DeepJsonIsRefusedAtOnce) {
  for (const std::string& open : {std::string("["), std::string("{\"a\":")}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += open;
    EXPECT_EQ(post("/streams/order-1/events", deep).status, 400);
    EXPECT_EQ(append("order-1", {event_text("T", deep)}).status, 400);
    EXPECT_EQ(append_all({entry_text("a", {event_text("T", deep)})}).status, 400);
  }
  const std::string closed = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(append("order-1", {event_text("T", closed)}).status, 400);
  EXPECT_EQ(append("order-1", {R"({"type":"T","data":1,"metadata":{"a":)" + closed + "}}"}).status, 400);
}

TEST_F(HostileTest, ManyFieldsOfOneObjectTakeLinearTime) {
  std::string fields;
  for (int i = 0; i < 300'000; ++i) fields += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(append("order-1", {event_text("T", "{" + fields + ",\"k7\":1}")}).status, 400)
      << "k7 stands twice";
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

TEST_F(HostileTest, ClientsThatDisconnectHalfwayDoNoHarm) {
  for (int i = 0; i < 100; ++i) {
    raw().send("GET /ev");
    raw().send(post_head("Content-Length: 1000\r\n") + "{");
    raw().send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n");
    raw().send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  }
  expect_healthy();
  expect_memory_below(16u << 10);
}

TEST_F(HostileTest, PipelinedRequestsAreAnsweredInOrder) {
  RawClient eager = raw();
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    bytes += "GET /streams/none-" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  ASSERT_TRUE(eager.send(bytes));
  for (int i = 0; i < 100; ++i) {
    const RawResponse answer = eager.receive();
    ASSERT_EQ(answer.status, 404);
    EXPECT_THAT(answer.body, HasSubstr("\"none-" + std::to_string(i) + "\""));
  }
}

}  // namespace
}  // namespace cairn::test

#include "api/http/request_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cairn::api {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class RequestHeadTest : public ::testing::Test {
 protected:
  // The status a head is refused with, or 0 when it is accepted.
  int refused(std::string_view text) {
    const auto parsed = parse_request_head(text, limits_);
    return parsed ? 0 : parsed.error().status();
  }
  int refused_with(std::string_view headers) {
    return refused("POST /x HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n");
  }
  RequestHead accepted(std::string_view text) {
    const auto parsed = parse_request_head(text, limits_);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed ? *parsed : RequestHead();
  }

  ServerLimits limits_;
};

TEST_F(RequestHeadTest, LineAndHeadersAreParsed) {
  const auto head =
      accepted("POST /a?b=c HTTP/1.1\r\nHost: here\r\nX-Empty:\r\ncontent-length:  12 \r\n\r\n");
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/a?b=c");
  EXPECT_THAT(head.headers,
              ElementsAre(Pair("Host", "here"), Pair("X-Empty", ""), Pair("content-length", "12")));
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_FALSE(head.expects_continue);
}

TEST_F(RequestHeadTest, ConnectionCloseEndsKeepAlive) {
  EXPECT_FALSE(accepted("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(accepted("GET / HTTP/1.0\r\nHost: h\r\n\r\n").keep_alive);
}

TEST_F(RequestHeadTest, OnlyExpect100ContinueIsSupported) {
  EXPECT_TRUE(accepted("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n\r\n").expects_continue);
  EXPECT_EQ(refused_with("Expect: miracles\r\n"), 417);
}

TEST_F(RequestHeadTest, MalformedLinesAreRefused) {
  EXPECT_EQ(refused("\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET x HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused(std::string_view("GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n", 31)), 400);
  EXPECT_EQ(refused("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(refused("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), 501);
  EXPECT_NE(refused("GET / HTTP/1.1\nHost: h\n\n\r\n\r\n"), 0);
  EXPECT_EQ(refused_with("No colon\r\n"), 400);
  EXPECT_EQ(refused_with(" folded: x\r\n"), 400);
  EXPECT_EQ(refused_with("Space : x\r\n"), 400);
  EXPECT_EQ(refused_with(": x\r\n"), 400);
  EXPECT_EQ(refused_with("X: a\rb\r\n"), 400);
}

TEST_F(RequestHeadTest, ExactlyOneHostIsRequired) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused_with("Host: other\r\n"), 400);
}

TEST_F(RequestHeadTest, LengthIsOneNumberOrAbsent) {
  EXPECT_EQ(refused_with("Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  for (const char* length : {"", "-1", "+1", "5, 5", "0x5", "5 5", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(refused_with("Content-Length: " + std::string(length) + "\r\n"), 400) << length;
  }
}

TEST_F(RequestHeadTest, EncodingsAreRefused) {
  EXPECT_EQ(refused_with("Transfer-Encoding: chunked\r\n"), 411);
  EXPECT_EQ(refused_with("Transfer-Encoding: identity\r\n"), 411);
  EXPECT_EQ(refused_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused_with("Content-Length: 5\r\nContent-Encoding: gzip\r\n"), 415);
}

TEST_F(RequestHeadTest, LimitsAreInclusive) {
  limits_.headers_max = 3;
  EXPECT_EQ(refused_with("A: 1\r\nB: 2\r\n"), 0);
  EXPECT_EQ(refused_with("A: 1\r\nB: 2\r\nC: 3\r\n"), 431);
  limits_.target_bytes_max = 4;
  EXPECT_EQ(refused("GET /abc HTTP/1.1\r\nHost: h\r\n\r\n"), 0);
  EXPECT_EQ(refused("GET /abcd HTTP/1.1\r\nHost: h\r\n\r\n"), 414);
}

}  // namespace
}  // namespace cairn::api

#include "api/client/server_url.h"

#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using api::parse_server_url;
using api::ServerUrl;

TEST(ServerUrlTest, UrlsAreParsed) {
  EXPECT_EQ(*parse_server_url("http://127.0.0.1:7878"), (ServerUrl{false, "127.0.0.1", 7878, ""}));
  EXPECT_EQ(*parse_server_url("http://localhost/"), (ServerUrl{false, "localhost", 80, ""}));
  EXPECT_EQ(*parse_server_url("https://cairn.example"), (ServerUrl{true, "cairn.example", 443, ""}));
  EXPECT_EQ(*parse_server_url("https://h:1/a/b//"), (ServerUrl{true, "h", 1, "/a/b"}));
  EXPECT_EQ(*parse_server_url("http://[fe80::1]:99/x"), (ServerUrl{false, "fe80::1", 99, "/x"}));
  EXPECT_EQ(*parse_server_url("http://[::1]"), (ServerUrl{false, "::1", 80, ""}));
}

TEST(ServerUrlTest, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "localhost",
                           "localhost:7878",
                           "ftp://h",
                           "http://",
                           "http://:80",
                           "http://h:",
                           "http://h:0",
                           "http://h:65536",
                           "http://h:8a",
                           "http://h:-1",
                           "http://[::1",
                           "http://[::1]x",
                           "http://[]",
                           "http://h?x",
                           "http://h/a b",
                           "http://h#x",
                           "http://user:pass@h",
                           "http://h\r\nX: y",
                           "http://hä"}) {
    EXPECT_THAT(parse_server_url(text), fails_with(Errc::kInvalidArgument)) << text;
  }
}

TEST(ServerUrlTest, PasswordsAreNotInTheMessage) {
  EXPECT_EQ(parse_server_url("http://u:secret@h").error().message.find("secret"), std::string::npos);
}

TEST(ServerUrlTest, EveryReservedByteIsEncoded) {
  EXPECT_EQ(api::percent_encoded("order-42_a.b~"), "order-42_a.b~");
  EXPECT_EQ(api::percent_encoded("a/b?c#d e%+&ä"), "a%2Fb%3Fc%23d%20e%25%2B%26%C3%A4");
  EXPECT_EQ(api::percent_encoded(".."), "%2E%2E");
}

}  // namespace
}  // namespace cairn::test

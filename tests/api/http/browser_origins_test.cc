#include "api/http/browser_origins.h"

#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace cairn::api {
namespace {

using test::fails_with;

TEST(BrowserOriginsTest, AnOriginIsWrittenAsBrowsersSendIt) {
  EXPECT_EQ(*parse_origin("https://app.example"), "https://app.example");
  EXPECT_EQ(*parse_origin("HTTPS://App.Example:443"), "https://app.example");
  EXPECT_EQ(*parse_origin("http://localhost:80"), "http://localhost");
  EXPECT_EQ(*parse_origin("http://[::1]:3000"), "http://[::1]:3000");
  EXPECT_EQ(*parse_origin("http://app.example:443"), "http://app.example:443");
}

TEST(BrowserOriginsTest, OtherTextIsNoOrigin) {
  for (const char* text :
       {"", "*", "null", "app.example", "https://", "https://app.example/", "ftp://app.example",
        "https://*.example", "https://a b", "https://user@app.example", "https://app.example\r\nX: y"}) {
    EXPECT_THAT(parse_origin(text), fails_with(Errc::kInvalidArgument)) << text;
  }
}

TEST(BrowserOriginsTest, WithTlsThePlainOriginOfTheSameHostIsForeign) {
  RequestHead head;
  head.method = "GET";
  head.headers = {{"Host", "cairn.example"}, {"Origin", "http://cairn.example"}};
  EXPECT_FALSE(BrowserOrigins({}, true).check(head, nullptr).ok());
  EXPECT_TRUE(BrowserOrigins({}, false).check(head, nullptr).ok());
  head.headers[1].second = "https://cairn.example";
  EXPECT_TRUE(BrowserOrigins({}, true).check(head, nullptr).ok());
}

}  // namespace
}  // namespace cairn::api

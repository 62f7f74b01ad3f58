#include "api/net/listen_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace cairn::api {
namespace {

using test::fails_with;
using test::succeeds;
using ::testing::HasSubstr;

std::string parsed(std::string_view text) {
  const auto address = parse_listen_address(text);
  EXPECT_THAT(address, succeeds());
  return address ? address->to_string() : "";
}

TEST(ListenAddressTest, AddressesAndPortsAreParsed) {
  EXPECT_EQ(parsed("127.0.0.1:7878"), "127.0.0.1:7878");
  EXPECT_EQ(parsed("[::1]:0"), "[::1]:0");
  EXPECT_EQ(parsed("localhost:80"), "127.0.0.1:80");
  EXPECT_EQ(parsed("0.0.0.0:65535"), "0.0.0.0:65535");
}

TEST(ListenAddressTest, OtherTextsAreRefused) {
  for (const char* text :
       {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", ":80",
        "example.org:80", "::1:80", "[127.0.0.1]:80", "[::1]80", "127.0.0.1:80 ", "127.1:80"}) {
    EXPECT_THAT(parse_listen_address(text), fails_with(Errc::kInvalidArgument)) << text;
  }
}

TEST(ListenAddressTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(parse_listen_address("7901").error().message,
              HasSubstr("'7901' is not an address to listen on: it is a port without an address. Write it "
                        "like 127.0.0.1:7878"));
  EXPECT_THAT(parse_listen_address("127.0.0.1").error().message, HasSubstr("it has no port"));
}

TEST(ListenAddressTest, OnlyLoopbackAddressesPassTheCheck) {
  for (const char* text : {"127.0.0.1:1", "127.3.2.1:1", "[::1]:1", "localhost:1"}) {
    EXPECT_THAT(check_loopback(*parse_listen_address(text)), succeeds()) << text;
  }
  for (const char* text :
       {"0.0.0.0:1", "[::]:1", "192.168.1.1:1", "10.0.0.1:1", "[fe80::1]:1", "[::ffff:1.2.3.4]:1"}) {
    EXPECT_THAT(check_loopback(*parse_listen_address(text)), fails_with(Errc::kFailedPrecondition)) << text;
  }
}

}  // namespace
}  // namespace cairn::api

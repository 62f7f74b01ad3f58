#include "tools/cli/doctor/server_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 24 * 3'600 * kSecond;

class ServerChecksTest : public ::testing::Test {
 protected:
  ServerChecksTest() {
    facts_.ready = 200;
    facts_.asked_at = {1'000 * kDay};
    facts_.answer_seconds = 0.01;
    facts_.server_time = facts_.asked_at;
    facts_.server_version = facts_.version = "1.2.3";
  }
  Check check(const std::string& name) const {
    for (const Check& check : server_checks(facts_)) {
      if (check.name == name) return check;
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }

  ServerFacts facts_;
};

TEST_F(ServerChecksTest, AHealthyServerHasNoFault) {
  for (const Check& check : server_checks(facts_)) EXPECT_EQ(check.verdict, CheckVerdict::kOk) << check.text;
}

TEST_F(ServerChecksTest, ACertificateIsReplacedBeforeItEnds) {
  facts_.certificate_ends = Timestamp{1'015 * kDay};
  EXPECT_EQ(check("certificate").verdict, CheckVerdict::kOk);
  facts_.certificate_ends = Timestamp{1'013 * kDay};
  EXPECT_EQ(check("certificate").verdict, CheckVerdict::kWarning);
  EXPECT_THAT(check("certificate").text, HasSubstr("valid for 13 days"));
  facts_.certificate_ends = Timestamp{998 * kDay};
  EXPECT_EQ(check("certificate").verdict, CheckVerdict::kFailed);
  EXPECT_THAT(check("certificate").text, HasSubstr("ended 2 days ago"));
}

TEST_F(ServerChecksTest, ClocksThatDifferAreNamed) {
  facts_.server_time->micros += 5 * kSecond;
  EXPECT_EQ(check("clock").verdict, CheckVerdict::kWarning);
  EXPECT_THAT(check("clock").text, HasSubstr("ahead of the clock of this machine"));
  facts_.server_time->micros -= 100 * kSecond;
  EXPECT_EQ(check("clock").verdict, CheckVerdict::kFailed);
  EXPECT_THAT(check("clock").text, HasSubstr("behind the clock"));
}

TEST_F(ServerChecksTest, ASlowAnswerSaysLittleAboutTheClock) {
  facts_.server_time->micros += 4 * kSecond;
  facts_.answer_seconds = 6;
  EXPECT_EQ(check("clock").verdict, CheckVerdict::kOk);
  EXPECT_EQ(check("ready").verdict, CheckVerdict::kWarning);
}

TEST_F(ServerChecksTest, AServerThatDoesNotServeFails) {
  facts_.ready = 503;
  EXPECT_EQ(check("ready").verdict, CheckVerdict::kFailed);
}

TEST_F(ServerChecksTest, WithoutATokenTheRestIsUnknown) {
  facts_.refusal = "No token. (401 unauthorized)";
  EXPECT_EQ(check("status").verdict, CheckVerdict::kWarning);
  EXPECT_EQ(server_checks(facts_).size(), 2u);
}

TEST_F(ServerChecksTest, OtherVersionsAndAttentionAreWarnings) {
  facts_.server_version = "1.2.4";
  facts_.attention = {"orders: 3 keys wait"};
  EXPECT_EQ(check("version").verdict, CheckVerdict::kWarning);
  EXPECT_THAT(check("version").text, HasSubstr("cairn 1.2.4, and this is cairn 1.2.3"));
  EXPECT_EQ(check("attention").verdict, CheckVerdict::kWarning);
}

}  // namespace
}  // namespace cairn::cli

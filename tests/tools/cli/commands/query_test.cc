// `cairn query` and `cairn append --condition`, with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cairn_process.h"
#include "tests/tools/running_server.h"

#include <nlohmann/json.hpp>

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class QueryTest : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> words, ProcessOptions options = {}) const {
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words, options);
  }
  Finished append(const std::string& stream, std::vector<std::string> more) const {
    std::vector<std::string> words{"append", stream, "--type", "Placed", "--data", "{\"n\":1.50}"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static std::vector<std::uint64_t> positions(const Finished& finished) {
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    std::vector<std::uint64_t> found;
    std::istringstream lines(finished.output);
    for (std::string line; std::getline(lines, line);)
      found.push_back(nlohmann::json::parse(line)["position"]);
    return found;
  }

  RunningServer server_;
};

TEST_F(QueryTest, FindsTheEventsOfOneItemOrOfSeveral) {
  ASSERT_EQ(append("order-1", {"--tag", "a", "--tag", "b"}).exit_code, 0);
  ASSERT_EQ(append("order-2", {"--tag", "a"}).exit_code, 0);
  ASSERT_EQ(append("payment-1", {"--tag", "c"}).exit_code, 0);
  EXPECT_THAT(positions(run({"query", "--tag", "a"})), ElementsAre(1, 2));
  EXPECT_THAT(positions(run({"query", "--tag", "a", "--tag", "b"})), ElementsAre(1));
  EXPECT_THAT(positions(run({"query", "--tag", "a", "--category", "payment"})), IsEmpty());
  EXPECT_THAT(positions(run({"query", R"([{"tags":["b"]},{"categories":["payment"]}])"})), ElementsAre(1, 3));
  EXPECT_THAT(positions(run({"query", "-"}, {.input = R"([{"tags":["c"]}])"})), ElementsAre(3));
  EXPECT_THAT(positions(run({"query", "--backward", "--limit", "2"})), ElementsAre(3, 2));
  EXPECT_THAT(positions(run({"query", "--from", "2", "--until", "2"})), ElementsAre(2));
  EXPECT_THAT(run({"query", "--tag", "b"}).output, HasSubstr(R"("data":{"n":1.50})")) << "as it was written";
}

TEST_F(QueryTest, GoesOnBehindAPage) {
  std::string lines;
  for (int n = 1; n <= 2'100; ++n)
    lines += R"({"stream":"order-1","type":"Placed","data":1,"tags":["a"]})"
             "\n";
  ASSERT_EQ(run({"import", "-"}, {.input = lines}).exit_code, 0);
  const auto all = positions(run({"query", "--tag", "a"}));
  ASSERT_EQ(all.size(), 2'100u);
  EXPECT_EQ(all.back(), 2'100u);
  EXPECT_EQ(positions(run({"query", "--tag", "a", "--backward", "--limit", "1500"})).back(), 601u);
}

TEST_F(QueryTest, WhatIsNoQueryIsRefused) {
  EXPECT_EQ(run({"query", "[{"}).exit_code, 2);
  EXPECT_EQ(run({"query", "[]", "--tag", "a"}).exit_code, 2);
  EXPECT_EQ(run({"query", "@/nowhere"}).exit_code, 2);
  EXPECT_EQ(run({"query", ""}).exit_code, 2);
  const Finished refused = run({"query", R"([{"tag":["a"]}])"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("items[0].tag"));
}

TEST_F(QueryTest, AConditionGuardsAnAppend) {
  const std::string once = R"({"failIfEventsMatch":{"items":[{"tags":["seat:1"]}]}})";
  ASSERT_EQ(append("seat-1", {"--tag", "seat:1", "--condition", once}).exit_code, 0);
  const Finished again = append("seat-2", {"--tag", "seat:1", "--condition", once});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.errors, HasSubstr("Event 1 of type 'Placed' in stream 'seat-1'"));
  EXPECT_THAT(again.errors, HasSubstr("(409 condition-failed)"));
  EXPECT_EQ(append("seat-2", {"--condition", "{"}).exit_code, 2);
  EXPECT_EQ(append("seat-2", {"--condition", ""}).exit_code, 2) << "as of a variable that is not set";
  EXPECT_EQ(append("seat-2", {"--condition", "@/dev/zero"}).exit_code, 2);
  EXPECT_EQ(append("seat-2", {"--condition", "{}"}).exit_code, 1);
  EXPECT_THAT(positions(run({"query"})), ElementsAre(1));
}

}  // namespace
}  // namespace cairn::test

#include "eventstore/trace_parent.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cairn {
namespace {

const std::string kOne = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string kOther = "00-11111111111111111111111111111111-2222222222222222-00";

std::string member(const std::string& value) { return R"("traceparent":")" + value + '"'; }
std::string members(const std::string& metadata) {
  return std::string(members_before_trace_parent(metadata));
}

TEST(TraceParentTest, OnlyVersion00WithIdsIsValid) {
  EXPECT_TRUE(is_trace_parent(kOne));
  EXPECT_TRUE(is_trace_parent(kOther));
  for (const std::string& wrong : std::vector<std::string>{
           "", kOne + "0", kOne + "-00", kOne.substr(0, 54), "01" + kOne.substr(2), "ff" + kOne.substr(2),
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333x-01",
           "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01"}) {
    EXPECT_FALSE(is_trace_parent(wrong)) << wrong;
  }
}

TEST(TraceParentTest, TheLastMemberIsLeftOut) {
  EXPECT_EQ(members(""), "");
  EXPECT_EQ(members("{}"), "");
  EXPECT_EQ(members(R"({"a":1})"), R"("a":1)");
  EXPECT_EQ(members("{" + member(kOne) + "}"), "");
  EXPECT_EQ(members(R"({"a":1,)" + member(kOther) + "}"), R"("a":1)");
}

TEST(TraceParentTest, NothingElseIsLeftOut) {
  for (const std::string& metadata : std::vector<std::string>{
           "{" + member(kOne) + R"(,"a":1})", R"({"a":{)" + member(kOne) + "}}",
           "{" + member("no trace") + "}", R"({"a":"\"traceparent\":\")" + kOne + R"(\""})",
           R"({"xtraceparent":")" + kOne + R"("})", R"({"x\"traceparent":")" + kOne + R"("})"}) {
    EXPECT_EQ(members(metadata), metadata.substr(1, metadata.size() - 2));
  }
}

}  // namespace
}  // namespace cairn

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cairn_process.h"

namespace cairn::test {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CliTest, VersionIsPrinted) {
  const Finished flag = run_cairn({"--version"});
  EXPECT_EQ(flag.exit_code, 0);
  EXPECT_THAT(flag.output, StartsWith("cairn "));
  EXPECT_EQ(run_cairn({"version"}).output, flag.output);
  EXPECT_EQ("cairn " +
                nlohmann::json::parse(run_cairn({"version", "--json"}).output)["version"].get<std::string>() +
                "\n",
            flag.output);
}

TEST(CliTest, WrongUsageIsExitCodeTwo) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{},
                                             {"dance"},
                                             {"verify", "--unknown"},
                                             {"verify", "--data"},
                                             {"serve", "extra"},
                                             {"serve", "--listen", "nowhere"},
                                             {"serve", "--listen", "127.0.0.1:99999"},
                                             {"serve", "--log-format", "xml"},
                                             {"serve", "--dedup-days", "0"},
                                             {"serve", "--dedup-days", "often"},
                                             {"serve", "--projections-max", "0"}}) {
    const Finished refused = run_cairn(command);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(command);
    EXPECT_THAT(refused.errors, Not(IsEmpty())) << ::testing::PrintToString(command);
    EXPECT_THAT(refused.output, IsEmpty()) << ::testing::PrintToString(command);
  }
}

}  // namespace
}  // namespace cairn::test

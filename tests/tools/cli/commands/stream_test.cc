// `cairn stream`, and the end of the log in `cairn read`, with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/running_server.h"

#include <nlohmann/json.hpp>

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StreamTest : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> words, unsigned short terminal_width = 0) const {
    words.insert(words.end(), {"--url", server_.url()});
    ProcessOptions options;
    options.terminal_width = terminal_width;
    return run_cairn(words, options);
  }
  void append(const std::string& stream, int n) const {
    const Finished done =
        run({"append", stream, "--type", "Placed", "--data", "{\"n\":" + std::to_string(n) + "}"});
    ASSERT_EQ(done.exit_code, 0) << done.errors;
  }
  // One member of each line of JSON.
  static std::vector<std::string> members(const std::string& lines, const std::string& name) {
    std::vector<std::string> found;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
      found.push_back(nlohmann::json::parse(line)[name].dump());
    }
    return found;
  }

  RunningServer server_;
};

TEST_F(StreamTest, ListsStreamsByCategoryAndPrefix) {
  EXPECT_THAT(run({"stream", "list", "--category", "order"}).output, IsEmpty());
  for (const char* stream : {"order-1", "order-2", "order-30", "payment-1"}) append(stream, 1);
  const Finished all = run({"stream", "list", "--category", "order"});
  EXPECT_EQ(all.exit_code, 0) << all.errors;
  EXPECT_THAT(members(all.output, "stream"), ElementsAre("\"order-1\"", "\"order-2\"", "\"order-30\""));
  EXPECT_THAT(members(run({"stream", "list", "--prefix", "order-3"}).output, "stream"),
              ElementsAre("\"order-30\""));
  EXPECT_THAT(members(run({"stream", "list", "--category", "order", "--limit", "2"}).output, "stream"),
              ElementsAre("\"order-1\"", "\"order-2\""));
  const std::string table = run({"stream", "list", "--category", "payment"}, 80).output;
  EXPECT_THAT(table, HasSubstr("VERSION  UPDATED"));
  EXPECT_THAT(table, HasSubstr("payment-1"));
  EXPECT_EQ(run({"stream", "list", "--limit", "0"}).exit_code, 2);
}

TEST_F(StreamTest, ShowsWhereAStreamIs) {
  append("order-1", 1);
  append("order-2", 1);
  append("order-1", 2);
  const Finished shown = run({"stream", "show", "order-1"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("version    2\npositions  1 to 3\n"));
  EXPECT_EQ(nlohmann::json::parse(run({"stream", "show", "order-1", "--json"}).output)["version"], 2);
  const Finished none = run({"stream", "show", "order-9"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("404 not-found"));
}

TEST_F(StreamTest, TailIsTheNewestEventsInTheirOrder) {
  for (int n = 1; n <= 6; ++n) append(n % 2 == 0 ? "order-1" : "payment-1", n);
  EXPECT_THAT(members(run({"read", "--all", "--tail", "3"}).output, "position"), ElementsAre("4", "5", "6"));
  EXPECT_THAT(
      members(run({"read", "--all", "--from", "end", "--tail", "20", "--no-system"}).output, "position"),
      ElementsAre("1", "2", "3", "4", "5", "6"));
  EXPECT_THAT(members(run({"read", "--all", "--tail", "2", "--category", "payment"}).output, "position"),
              ElementsAre("3", "5"));
  EXPECT_THAT(members(run({"read", "order-1", "--tail", "2"}).output, "version"), ElementsAre("2", "3"));
  EXPECT_THAT(run({"read", "--all", "--from", "end"}).output, IsEmpty());
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--tail", "0"},
                                               {"--tail", "10001"},
                                               {"--tail", "1", "--backward"},
                                               {"--tail", "1", "--limit", "1"},
                                               {"--tail", "1", "--from", "3"},
                                               {"--from", "ends"},
                                               {"--from", "end", "--backward"}}) {
    std::vector<std::string> words = {"read", "--all"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).exit_code, 2) << ::testing::PrintToString(more);
  }
}

TEST_F(StreamTest, FollowingGoesOnBehindTheTail) {
  for (int n = 1; n <= 4; ++n) append("order-1", n);
  int version = 4;
  for (const std::string& what : {std::string("--all"), std::string("order-1")}) {
    CairnProcess following({"read", what, "--tail", "1", "--follow", "--url", server_.url()});
    ASSERT_TRUE(following.prints("\"version\":" + std::to_string(version)));
    append("order-1", ++version);
    ASSERT_TRUE(following.prints("\"version\":" + std::to_string(version)));
    following.signal(SIGINT);
    const Finished done = following.finish();
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    EXPECT_THAT(members(done.output, "version"),
                ElementsAre(std::to_string(version - 1), std::to_string(version)));
  }
}

TEST_F(StreamTest, ImportNamesTypesWithoutASchemaOnlyWhereTheyAreRequired) {
  const TempFolder folder;
  CairnProcess strict({"serve", "--data", (folder / "data").string(), "--listen", "127.0.0.1:0"});
  const std::string line = strict.first_line();
  const std::string url = line.substr(line.find(" on http") + 4);
  const auto file = folder / "in.ndjson";
  ASSERT_TRUE(write_file(file,
                         "{\"stream\":\"a-1\",\"type\":\"A\",\"data\":{}}\n"
                         "{\"stream\":\"b-1\",\"type\":\"B\",\"data\":{}}\n"));
  const Finished refused = run_cairn({"import", file.string(), "--batch", "1", "--url", url});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("A (line 1)\n  B (line 2)\n"));
  EXPECT_THAT(run_cairn({"read", "--all", "--url", url}).output, IsEmpty());
  const Finished done = run({"import", file.string()});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "2 events imported\n");
}

}  // namespace
}  // namespace cairn::test

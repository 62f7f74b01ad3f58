// tests/fixtures/format-1: a data folder that Cairn 0.1.0 wrote. Its README says what is in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cairn_process.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(CAIRN_SOURCE_DIR) / "tests/fixtures/format-1" / name;
}

std::string fixture_text(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(fixture(name), std::ios::binary).rdbuf();
  return text.str();
}

class Format1Test : public ::testing::Test {
 protected:
  void SetUp() override {
    const Said tar = said_by({"tar", "-xJf", fixture("store.tar.xz").string(), "-C", data()});
    ASSERT_TRUE(tar.exit.clean()) << tar.text;
  }

  std::string data() const { return folder_.path().string(); }

  void serve() {
    server_ = std::make_unique<CairnProcess>(std::vector<std::string>{"serve", "--data", data(), "--schemas",
                                                                      "optional", "--listen", "127.0.0.1:0"});
    const std::string line = server_->first_line();
    const std::size_t at = line.find(" on http");
    ASSERT_NE(at, std::string::npos) << line << server_->finish(std::chrono::milliseconds(0)).errors;
    url_ = line.substr(at + 4);
  }

  void stop() {
    server_->signal(SIGTERM);
    EXPECT_EQ(server_->finish().exit_code, 0);
  }

  // Runs a command that talks to the server; it must succeed.
  std::string cairn(std::vector<std::string> words) {
    words.insert(words.end(), {"--url", url_});
    const Finished finished = run_cairn(words);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return finished.output;
  }

  void expect_sound(const std::string& head) {
    const Finished verified = run_cairn({"verify", "--data", data(), "--json"});
    EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
    EXPECT_THAT(verified.output, HasSubstr("\"head\": " + head + ","));
  }

 private:
  TempFolder folder_;
  std::unique_ptr<CairnProcess> server_;
  std::string url_;
};

TEST_F(Format1Test, TheFixtureIsSmall) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) bytes += entry.file_size();
  EXPECT_LE(bytes, 200'000u);
}

TEST_F(Format1Test, IsSoundWithItsJournal) { expect_sound("20"); }

TEST_F(Format1Test, AnswersWhatVersion01Answered) {
  serve();
  EXPECT_EQ(cairn({"read", "--all", "--shape", "stored", "--json"}), fixture_text("events.stored.ndjson"));
  EXPECT_EQ(cairn({"read", "--all", "--json"}), fixture_text("events.latest.ndjson"));
  const auto wanted = nlohmann::json::parse(fixture_text("rows.json"));
  for (const auto& row : wanted["rows"]) {
    const std::string key = row["key"].get<std::string>();
    const auto answer = nlohmann::json::parse(
        cairn({"projection", "rows", "totals", key, "--min-position", "20", "--json"}), nullptr, false);
    EXPECT_EQ(answer.value("row", nlohmann::json()), row["row"]) << key << ' ' << answer;
    EXPECT_EQ(answer.value("generation", 0), 2) << answer;  // Not rebuilt: the generation on disk is used.
  }
  const auto state = nlohmann::json::parse(cairn({"state", "order-1", "--json"}), nullptr, false);
  EXPECT_EQ(state.value("snapshotVersion", 0), 2) << state;
  EXPECT_EQ(state.value("eventsFolded", -1), 0) << state;
  EXPECT_EQ(state.value("state", nlohmann::json()).value("total", 0), 15) << state;
  stop();
  expect_sound("20");
}

TEST_F(Format1Test, TakesAppendsAndKnowsItsIds) {
  serve();
  const std::string data = R"({"customer":"dee","total":10,"currency":"EUR"})";
  cairn({"append", "order-4", "--type", "OrderPlaced", "--data", data, "--expect", "9"});
  // The id is in the journal only, and is recognised: nothing is stored a second time.
  EXPECT_THAT(cairn({"append", "order-4", "--type", "OrderPlaced", "--data",
                     R"({"customer":"dee","total":4,"currency":"EUR"})", "--tag", "customer:dee", "--expect",
                     "3", "--id", "018f0000-0000-7000-8000-00000000cccc"}),
              HasSubstr("version 4"));
  stop();
  expect_sound("21");
  serve();
  EXPECT_THAT(cairn({"read", "order-4", "--from", "10", "--json"}), HasSubstr("\"position\":21"));
  stop();
}

// Version 0.1 did not remember the ids that it made. A rebuilt index has them.
TEST_F(Format1Test, TheServersIdsAreKnownOnceTheIndexIsRebuilt) {
  std::filesystem::remove_all(std::filesystem::path(data()) / "index");
  std::istringstream stored(fixture_text("events.stored.ndjson"));
  std::string lines, line;
  while (std::getline(stored, line)) {
    if (line.find(R"("stream":"order-4")") != std::string::npos) lines += line + "\n";
  }
  serve();
  std::ofstream(data() + "/events.ndjson") << lines;
  EXPECT_THAT(cairn({"import", data() + "/events.ndjson"}), HasSubstr("9 "));
  EXPECT_EQ(cairn({"read", "--all", "--shape", "stored", "--json"}), fixture_text("events.stored.ndjson"));
  stop();
  expect_sound("20");
}

}  // namespace
}  // namespace cairn::test

// tests/fixtures/format-1: a data folder that Cairn 0.1.0 wrote. Its README says what is in it.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/tools/fixture_store.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class Format1Test : public FixtureStoreTest {
 protected:
  Format1Test() : FixtureStoreTest("format-1") {}
};

TEST_F(Format1Test, TheFixtureIsSmall) { expect_small(); }

TEST_F(Format1Test, IsSoundWithItsJournal) { expect_sound("20"); }

TEST_F(Format1Test, AnswersWhatVersion01Answered) {
  serve();
  expect_the_same_events();
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

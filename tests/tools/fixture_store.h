#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cairn_process.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {

// A store that an older program wrote, from a folder of tests/fixtures, in a folder of its own, and a server
// on it.
class FixtureStoreTest : public ::testing::Test {
 protected:
  // `name` is the folder in tests/fixtures.
  explicit FixtureStoreTest(std::string name) : name_(std::move(name)) {}

  void SetUp() override {
    const Said tar = said_by({"tar", "-xJf", fixture("store.tar.xz").string(), "-C", data()});
    ASSERT_TRUE(tar.exit.clean()) << tar.text;
  }

  std::filesystem::path fixture(const std::string& file) const {
    return std::filesystem::path(CAIRN_SOURCE_DIR) / "tests/fixtures" / name_ / file;
  }
  std::string fixture_text(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(fixture(file), std::ios::binary).rdbuf();
    return text.str();
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
    EXPECT_THAT(verified.output, ::testing::HasSubstr("\"head\": " + head + ","));
  }

  void expect_small() const {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(fixture(""))) bytes += entry.file_size();
    EXPECT_LE(bytes, 200'000u);
  }

  // Compares all events with those that the program which wrote the store has read.
  void expect_the_same_events() {
    EXPECT_EQ(cairn({"read", "--all", "--shape", "stored", "--json"}), fixture_text("events.stored.ndjson"));
    EXPECT_EQ(cairn({"read", "--all", "--json"}), fixture_text("events.latest.ndjson"));
  }

 private:
  const std::string name_;
  TempFolder folder_;
  std::unique_ptr<CairnProcess> server_;
  std::string url_;
};

}  // namespace cairn::test

// examples/ledger: whatever happens to it, no money is made, lost or spent twice. The test reads the log
// itself and does not take the program's word for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/examples/shell.h"
#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/scale.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

// The balances, computed from the log.
struct BooksInTheLog {
  std::map<std::string, std::int64_t> cents;  // by account
  std::uint64_t transfers = 0;
};

// The lines of its story.
using Story = std::vector<std::string>;

class LedgerExampleTest : public ::testing::Test {
 protected:
  ChildProcess::Command command(std::vector<std::string> more = {}) const {
    ChildProcess::Command command{{test_program("ledger").string(), data().string()}, {}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }

  Story run(std::vector<std::string> more = {}) const {
    ChildProcess program(command(std::move(more)));
    Story story;
    while (auto line = program.read_line()) story.push_back(*std::move(line));
    const Exit exit = program.wait();
    EXPECT_TRUE(exit.clean()) << describe(exit);
    return story;
  }

  // Starts an endless race, and kills it after it has printed this many audits. Returns the number of
  // transfers that it had acknowledged by then.
  std::uint64_t run_and_kill(int looks) const {
    ChildProcess program(command({"4", "1000000000"}));
    std::uint64_t told = 0;
    bool racing = false;
    while (looks > 0) {
      const auto line = program.read_line();
      if (!line) {
        ADD_FAILURE() << "it ended by itself: " << describe(program.wait());
        return told;
      }
      if (line->find("threads race") != std::string::npos) racing = true;
      if (!racing || line->find(" transfers, sum 0.00") == std::string::npos) continue;
      told = std::stoull(*line);
      --looks;
    }
    program.kill(SIGKILL);
    EXPECT_EQ(program.wait().signal, SIGKILL);
    return told;
  }

  // Both halves of each transfer stand behind each other, amount to nothing, and nobody but the bank ever
  // owed anything.
  BooksInTheLog read_books() const {
    BooksInTheLog books;
    const auto store = EventStore::open(data(), {});
    EXPECT_THAT(store, succeeds());
    if (!store.ok()) return books;
    std::int64_t open_half = 0;
    const auto scanned = (*store)->scan({.filter = {{"account"}, {}}}, [&](const EventView& event) {
      const auto entry = nlohmann::json::parse(event.data);
      const auto cents = entry.at("cents").get<std::int64_t>();
      std::int64_t& balance = books.cents[std::string(event.stream)];
      balance += cents;
      EXPECT_TRUE(balance >= 0 || event.stream == "account-bank")
          << event.stream << " was at " << balance << " at position " << event.position.value;
      if (open_half != 0) {
        EXPECT_EQ(open_half + cents, 0) << "at position " << event.position.value;
        ++books.transfers;
        open_half = 0;
      } else {
        open_half = cents;
      }
      return true;
    });
    EXPECT_THAT(scanned, succeeds());
    EXPECT_EQ(open_half, 0) << "half a transfer at the end of the log";
    std::int64_t sum = 0;
    for (const auto& [account, cents] : books.cents) sum += cents;
    EXPECT_EQ(sum, 0);
    return books;
  }

  std::filesystem::path data() const { return folder_ / "bank"; }

 private:
  TempFolder folder_;
};

std::string last_sum(std::uint64_t transfers) {
  return "  " + std::to_string(transfers) + " transfers, sum 0.00";
}

TEST_F(LedgerExampleTest, RunsAndContinuesInTheSameFolder) {
  const Story first = run();
  ASSERT_GE(first.size(), 16u);
  EXPECT_THAT(Story(first.begin(), first.begin() + 10),
              ElementsAre("The ledger as it was found:", "  0 transfers, sum 0.00",
                          "account-ada is opened with 1000.00", "account-bob is opened with 1000.00",
                          "account-dan is opened with 1000.00", "account-eve is opened with 1000.00",
                          "account-ada pays account-bob 25.00: done, entry 2 of the one and 2 of the other",
                          "account-eve pays account-ada 1000000.00: refused, account-eve has 1000.00",
                          "account-bank pays account-ada 1.00, hears nothing and sends it again: recognised, "
                          "paid once",
                          "4 threads race for 400 transfers:"));
  const BooksInTheLog books = read_books();
  EXPECT_EQ(books.cents.at("account-bank"), -4'001'00);
  EXPECT_EQ(first.back(), last_sum(books.transfers));

  const Story second = run();
  ASSERT_GE(second.size(), 2u);
  EXPECT_EQ(second[1], last_sum(books.transfers));
  EXPECT_THAT(second, Not(Contains(HasSubstr("is opened"))));
  const BooksInTheLog both = read_books();
  EXPECT_EQ(both.cents.at("account-bank"), -4'002'00);
  EXPECT_GT(both.transfers, books.transfers);
  EXPECT_EQ(second.back(), last_sum(both.transfers));
}

TEST_F(LedgerExampleTest, ManyThreadsAtTheSameAccounts) {
  const std::string tries = std::to_string(rounds(1'600, 40'000));
  const Story story = run({"16", tries});
  EXPECT_THAT(story, Contains("16 threads race for " + tries + " transfers:"));
  const BooksInTheLog books = read_books();
  EXPECT_EQ(books.cents.size(), 5u);
  ASSERT_FALSE(story.empty());
  EXPECT_EQ(story.back(), last_sum(books.transfers));
  // Without conflicts the race would not test the retries.
  EXPECT_THAT(story, Contains(AllOf(HasSubstr(" refused for want of funds; "),
                                    Not(HasSubstr("; 0 times another was first")))));
}

TEST_F(LedgerExampleTest, AfterAKillNoAcknowledgedTransferIsLost) {
  for (int looks = 1; looks <= 3; ++looks) {
    const std::uint64_t told = run_and_kill(looks);
    EXPECT_GE(read_books().transfers, told) << "killed after look " << looks;
  }
  const Story story = run();
  const BooksInTheLog books = read_books();
  ASSERT_GE(story.size(), 8u);
  EXPECT_EQ(story.back(), last_sum(books.transfers));
  // The rows of the projection match the log after any number of kills.
  for (const auto& [account, cents] : books.cents) {
    EXPECT_THAT(story, Contains(MatchesRegex("  " + account + " \\{\"balance\":\"" + (cents < 0 ? "-" : "") +
                                             std::to_string(std::abs(cents) / 100) +
                                             "\\.[0-9][0-9]\",\"entries\":[0-9]+\\}")));
  }
}

TEST_F(LedgerExampleTest, PrintsItsUsage) {
  for (const std::string arguments : {"", "bank 4", "bank 0 100", "bank 4 many", "bank 4 10 more"}) {
    const ShellOutcome refused = run_shell(data().parent_path(), "", "ledger " + arguments);
    EXPECT_EQ(refused.status, 2) << arguments;
    EXPECT_EQ(refused.output, "usage: ledger FOLDER [THREADS TRANSFERS]\n") << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(data()));
}

}  // namespace
}  // namespace cairn::test

#include "eventstore/tokens/fencing_tokens.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "eventstore/base/file.h"
#include "eventstore/store_copy.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using testing::HasSubstr;

class FencingTokensTest : public StoreTest {
 protected:
  FencingTokensTest() { options().log_format = LogFormat::k2; }

  std::uint64_t next(FencingTokens& tokens) {
    const auto token = tokens.next();
    EXPECT_THAT(token, succeeds());
    return token.ok() ? token->value : 0;
  }

  FencingTokens tokens(std::uint64_t chunk = 10) { return FencingTokens(store(), clock().function(), chunk); }

  std::string history() { return value_of(store().history_id()); }
  std::uint64_t epoch() { return value_of(store().claim_epoch()); }
};

TEST_F(FencingTokensTest, TheyRiseByOneFromTheClockOn) {
  const auto now = static_cast<std::uint64_t>(clock().now().micros);
  FencingTokens one = tokens();
  EXPECT_EQ(next(one), now);
  for (std::uint64_t i = 1; i < 25; ++i) EXPECT_EQ(next(one), now + i) << "chunks follow each other";
  EXPECT_EQ(version_of("$tokens"), 3u);
}

TEST_F(FencingTokensTest, AChunkIsInTheLogBeforeItsFirstToken) {
  FencingTokens one = tokens(7);
  const std::uint64_t first = next(one);
  const auto page = value_of(store().read_system_stream("$tokens", {}));
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].type, "TokensReserved");
  const auto data = nlohmann::json::parse(page.events[0].data);
  EXPECT_EQ(data["from"], first);
  EXPECT_EQ(data["through"], first + 6);
  EXPECT_EQ(data["historyId"], history());
}

TEST_F(FencingTokensTest, TwoSourcesAndManyThreadsNeverGiveTheSame) {
  FencingTokens one = tokens(3), other = tokens(4);
  std::mutex mutex;
  std::map<std::uint64_t, int> given;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t last = 0;
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t token = next(t % 2 == 0 ? one : other);
        EXPECT_GT(token, last);
        last = token;
        const std::lock_guard lock(mutex);
        ++given[token];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(given.size(), 800u);
}

TEST_F(FencingTokensTest, AClockThatGoesBackOrAstrayChangesNothing) {
  FencingTokens first = tokens();
  const std::uint64_t before = next(first);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 60}) {
    FencingTokens later(
        store(), [wrong] { return Timestamp{wrong}; }, 10);
    const std::uint64_t token = next(later);
    EXPECT_GT(token, before);
    EXPECT_LT(token, before + 100);
  }
}

TEST_F(FencingTokensTest, TheLimitIsAnErrorAndNotAnOverflow) {
  const std::uint64_t near = FencingTokens::kLimit - 25;
  AppendRequest reserved =
      request({to("$tokens", ExpectedVersion::any(),
                  {event("TokensReserved", R"({"from":1,"through":)" + std::to_string(near) + "}")})});
  reserved.origin = Origin::kSystem;
  ASSERT_THAT(submit(reserved), succeeds());
  FencingTokens last = tokens(10);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(next(last), near + 1 + static_cast<std::uint64_t>(i));
  const auto none = last.next();
  ASSERT_THAT(none, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(none.error().message, HasSubstr("no tokens are left"));
}

TEST_F(FencingTokensTest, AReservationThatCannotBeReadIsReported) {
  AppendRequest broken =
      request({to("$tokens", ExpectedVersion::any(), {event("TokensReserved", R"({"through":"x"})")})});
  broken.origin = Origin::kSystem;
  ASSERT_THAT(submit(broken), succeeds());
  FencingTokens one = tokens();
  EXPECT_THAT(one.next(), fails_with(Errc::kCorruption));
}

TEST_F(FencingTokensTest, AnEpochIsDurableBeforeItIsUsed) {
  const std::uint64_t first = epoch();
  EXPECT_EQ(epoch(), first);
  EXPECT_EQ(head(), 0u);
  reopen();
  EXPECT_GT(epoch(), first) << "an opening that wrote no event has used its epoch";
  reopen();
  append("a-1", {"A"});
  const std::string hash = store().head_hash();
  EXPECT_EQ(epoch(), first + 2);
  EXPECT_EQ(store().head_hash(), hash) << "a block was there already";
  expect_sound();
}

TEST_F(FencingTokensTest, ACopyBeginsAnotherHistoryAndTheStoreDoesNot) {
  const std::string own = history();
  append("a-1", {"A"});
  reopen();
  EXPECT_EQ(history(), own);
  close();
  TempFolder other;
  ASSERT_THAT(copy_store(folder(), other / "copy", {}), succeeds());
  EXPECT_THAT(value_of(read_file(other / "copy" / "cairn.json")), Not(HasSubstr("historyId")));
  std::string of_copy;
  for (int i = 0; i < 2; ++i) {
    auto copy = EventStore::open(other / "copy", options());
    ASSERT_THAT(copy, succeeds());
    const std::string now = value_of((*copy)->history_id());
    if (i == 1) {
      EXPECT_EQ(now, of_copy);
    }
    of_copy = now;
    EXPECT_EQ((*copy)->store_id(), store().store_id());
    close();
  }
  EXPECT_NE(of_copy, own);
}

// Openings that end well, are killed after some tokens, or go back to an older copy; the clock jumps. Within
// a history tokens and epochs rise; tokens also over a restore, unless the clock went back.
TEST_F(FencingTokensTest, TokensAndEpochsRiseOverOpeningsKillsAndRestores) {
  Random random("FencingTokensTest");
  TempFolder copies;
  struct Highest {
    std::uint64_t token = 0, epoch = 0;
  };
  std::map<std::string, Highest> highest;
  std::uint64_t over_all = 0;
  std::int64_t now = 1'700'000'000'000'000, clock_max = 0;
  int copied = 0;
  const int openings = static_cast<int>(rounds(100, 1'000));
  for (int opening = 0; opening < openings; ++opening) {
    // Forward most of the time, and sometimes back by an hour.
    now += random.one_in(6) ? -3'600'000'000 : static_cast<std::int64_t>(random.below(60'000'000));
    bool restored = false;
    if (copied > 0 && random.one_in(8)) {
      std::filesystem::remove_all(folder());
      const auto from = copies / std::to_string(random.below(static_cast<std::uint64_t>(copied)));
      ASSERT_THAT(copy_store(from, folder(), {}), succeeds());
      restored = true;
    }
    ChildProcess child({{test_program("tokens_child").string(), folder().string(), std::to_string(now)}, {}});
    const auto history = child.read_line();
    ASSERT_TRUE(history);
    Highest& before = highest[*history];
    if (restored) {
      EXPECT_EQ(before.token, 0u) << "a restore begins a history";
    }
    const bool clock_went_back = now < clock_max;
    const std::uint64_t wanted = random.below(40);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const auto line = child.read_line();
      ASSERT_TRUE(line);
      const std::uint64_t token = std::stoull(line->substr(0, line->find(' ')));
      const std::uint64_t epoch = std::stoull(line->substr(line->find(' ') + 1));
      ASSERT_GT(token, before.token) << "opening " << opening;
      ASSERT_LT(token, FencingTokens::kLimit);
      if (i == 0) {
        ASSERT_GT(epoch, before.epoch) << "opening " << opening;
      }
      if (!restored || !clock_went_back) {
        ASSERT_GT(token, clock_went_back ? 0 : over_all) << "opening " << opening;
      }
      before = {token, epoch};
      over_all = std::max(over_all, token);
    }
    child.kill(SIGKILL);
    static_cast<void>(child.wait());
    // Tokens run ahead of the clock by less than a chunk for each opening.
    clock_max = std::max(clock_max, now) + 100;
    if (random.one_in(10)) {
      ASSERT_THAT(copy_store(folder(), copies / std::to_string(copied), {}), succeeds());
      ++copied;
    }
  }
  expect_sound();
}

}  // namespace
}  // namespace cairn::test

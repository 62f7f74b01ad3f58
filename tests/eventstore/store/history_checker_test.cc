// Tests the linearizability checker: it agrees with brute force on small histories and finds planted
// violations.

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/history.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

using Append = History::Append;
using Observation = History::Observation;

// Tries every order of the operations.
bool brute_force_linearizable(const History& history) {
  const std::size_t appends = history.appends.size();
  const std::size_t count = appends + history.observations.size();
  auto call = [&](std::size_t op) {
    return op < appends ? history.appends[op].call : history.observations[op - appends].call;
  };
  auto ret = [&](std::size_t op) -> std::optional<std::int64_t> {
    return op < appends ? history.appends[op].ret : history.observations[op - appends].ret;
  };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  do {
    bool holds = true;
    std::uint64_t version = 0;
    for (std::size_t i = 0; i < count && holds; ++i) {
      const std::size_t op = order[i];
      for (std::size_t j = i + 1; j < count && holds; ++j) {
        if (ret(order[j]) && *ret(order[j]) < call(op)) holds = false;
      }
      if (op < appends) {
        const Append& append = history.appends[op];
        if (append.first != version + 1) holds = false;
        if (append.expected && *append.expected != version) holds = false;
        version = append.last;
      } else {
        const Observation& seen = history.observations[op - appends];
        if (seen.version != version || seen.conflicts_with == version) holds = false;
      }
    }
    if (holds) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

History random_history(Random& random) {
  History history;
  const std::size_t count = random.between(1, 6);
  const std::size_t appends = random.between(0, std::min<std::size_t>(count, 4));
  // Distinct times: an event of one operation is before or after any other's.
  std::vector<std::int64_t> times(2 * count);
  std::iota(times.begin(), times.end(), 0);
  for (std::size_t i = times.size(); i > 1; --i) std::swap(times[i - 1], times[random.below(i)]);
  // Mostly short operations, so that order matters.
  if (random.one_in(2)) {
    for (std::size_t i = 0; i < count; ++i) {
      times[2 * i] = static_cast<std::int64_t>(random.below(8) * 10 + i);
      times[2 * i + 1] = times[2 * i] + static_cast<std::int64_t>(random.below(3) * 10 + 5);
    }
  }
  std::uint64_t version = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto [call, ret] = std::minmax(times[2 * i], times[2 * i + 1]);
    if (i < appends) {
      Append append{call, ret, version + 1, version + random.between(1, 2), std::nullopt};
      if (random.one_in(5)) append.ret = std::nullopt;
      if (random.one_in(3)) append.expected = random.one_in(8) ? version + 1 : version;
      version = append.last;
      history.appends.push_back(append);
    } else {
      Observation seen{call, ret, random.below(version + 1), std::nullopt};
      if (random.one_in(4)) seen.conflicts_with = random.below(version + 2);
      history.observations.push_back(seen);
    }
  }
  return history;
}

TEST(HistoryCheckerTest, AgreesWithBruteForceOnSmallHistories) {
  Random random("HistoryCheckerTest");
  std::size_t good = 0;
  const std::size_t count = rounds(6'000, 100'000);
  for (std::size_t i = 0; i < count; ++i) {
    History history = random_history(random);
    const bool expected = brute_force_linearizable(history);
    auto violation = find_violation(history);
    ASSERT_EQ(!violation.has_value(), expected)
        << "history " << i << ": " << violation.value_or("no violation found");
    good += expected ? 1 : 0;
  }
  EXPECT_GT(good, count / 20) << "the histories are too wild to prove anything";
  EXPECT_LT(good, count - count / 20) << "the histories are too tame to prove anything";
}

TEST(HistoryCheckerTest, AcceptsAPlainHistory) {
  EXPECT_EQ(find_violation(
                {{{0, 10, 1, 1, 0}, {20, 30, 2, 3, 1}}, {{1, 2, 0, {}}, {12, 15, 1, {}}, {25, 40, 3, 1}}}),
            std::nullopt);
}

TEST(HistoryCheckerTest, CatchesAStaleRead) {
  EXPECT_NE(find_violation({{{0, 10, 1, 1, {}}}, {{11, 12, 0, {}}}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesAReadOfALaterVersion) {
  EXPECT_NE(find_violation({{{10, 20, 1, 1, {}}}, {{1, 5, 1, {}}}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesTwoReadsThatGoBack) {
  EXPECT_NE(find_violation({{{0, 100, 1, 1, {}}}, {{10, 20, 1, {}}, {30, 40, 0, {}}}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesTwoWinners) {
  EXPECT_NE(find_violation({{{0, 10, 1, 1, 0}, {0, 10, 2, 2, 0}}, {}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesAReadInsideABatch) {
  EXPECT_NE(find_violation({{{0, 10, 1, 3, {}}}, {{1, 20, 2, {}}}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesAConflictWithTheRightVersion) {
  EXPECT_NE(find_violation({{{0, 10, 1, 1, {}}}, {{1, 20, 1, 1}}}), std::nullopt);
}

TEST(HistoryCheckerTest, CatchesALostUpdate) {
  EXPECT_NE(find_violation({{{0, 10, 1, 1, {}}, {0, 10, 3, 3, {}}}, {}}), std::nullopt);
}

TEST(HistoryCheckerTest, AllowsAnUnansweredAppendToTakeEffectLate) {
  EXPECT_EQ(find_violation({{{0, std::nullopt, 1, 1, {}}}, {{50, 60, 0, {}}, {70, 80, 1, {}}}}),
            std::nullopt);
}

}  // namespace
}  // namespace cairn::test

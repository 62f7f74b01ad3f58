#include "eventstore/index/term_runs.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tests/support/random.h"

namespace cairn {
namespace {

// Appends runs, and merges as long as there is something to merge.
class RunList {
 public:
  void add(std::uint64_t pairs) {
    runs_.push_back({.number = next_++, .first = {end_ + 1}, .last = {end_ + pairs}, .pairs = pairs});
    end_ += pairs;
    written_ += pairs;
    while (const auto range = choose_merge(runs_)) merge(*range);
  }

  const std::vector<TermRun>& runs() const { return runs_; }
  std::uint64_t pairs() const { return end_; }
  std::uint64_t written() const { return written_; }

 private:
  void merge(const MergeRange& range) {
    const auto from = runs_.begin() + static_cast<std::ptrdiff_t>(range.from);
    const auto to = runs_.begin() + static_cast<std::ptrdiff_t>(range.to);
    TermRun merged{.number = next_++, .first = from->first, .last = std::prev(to)->last, .pairs = 0};
    for (auto run = from; run != to; ++run) merged.pairs += run->pairs;
    written_ += merged.pairs;
    runs_.erase(from, to);
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(range.from), merged);
  }

  std::vector<TermRun> runs_;
  std::uint32_t next_ = 1;
  std::uint64_t end_ = 0;
  std::uint64_t written_ = 0;
};

void expect_adjacent(const std::vector<TermRun>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_EQ(runs[i].first.value, runs[i - 1].last.value + 1);
}

TEST(TermRunsTest, EqualRunsAreFewAndEachPairIsWrittenAFewTimes) {
  RunList list;
  for (int i = 0; i < 2'000; ++i) list.add(1'000);
  EXPECT_LE(list.runs().size(), 32u);
  EXPECT_LE(list.written(), 6 * list.pairs());
  expect_adjacent(list.runs());
}

TEST(TermRunsTest, RunsOfAnySizesAreFew) {
  test::Random random("TermRunsTest");
  for (int round = 0; round < 20; ++round) {
    RunList list;
    for (int i = 0; i < 500; ++i) list.add(1 + random.below(std::uint64_t{1} << random.below(20)));
    EXPECT_LE(list.runs().size(), 5u * std::bit_width(list.pairs()));
    EXPECT_LE(list.written(), 12 * list.pairs());
    expect_adjacent(list.runs());
  }
}

TEST(TermRunsTest, AGapAndDamagedRunsAreNotMergedOver) {
  std::vector<TermRun> runs;
  for (std::uint32_t i = 0; i < 14; ++i)
    runs.push_back({.number = i + 1, .first = {10 * i + 1}, .last = {10 * i + 10}, .pairs = 10});
  ASSERT_TRUE(choose_merge(runs).has_value());
  std::vector<std::uint32_t> damaged{7};
  EXPECT_EQ(choose_merge(runs, damaged), std::nullopt);
  runs[7].first = {75};  // between run 7 and 8
  EXPECT_EQ(choose_merge(runs), std::nullopt);
}

TEST(TermRunsTest, TheListIsDecodedAsItWasEncoded) {
  TermRuns runs{.next_number = 9, .digest_key = {1, 2}, .lists_through = {40}, .runs = {}};
  runs.add({.number = 2, .first = {41}, .last = {50}, .pairs = 20});
  runs.add({.number = 8, .first = {1}, .last = {10}, .pairs = 20});
  runs.add({.number = 3, .first = {51}, .last = {60}, .pairs = 20});
  runs.add({.number = 7, .first = {11}, .last = {30}, .pairs = 40});
  EXPECT_EQ(runs.runs.front().number, 8u);
  EXPECT_EQ(runs.filled_through().value, 30u);
  const std::string payload = encode_term_runs(runs);
  EXPECT_EQ(decode_term_runs(payload), runs);
  EXPECT_EQ(decode_term_runs(payload.substr(1)), std::nullopt);
  EXPECT_EQ(decode_term_runs(""), std::nullopt);
  // A gap elsewhere, which would hide events.
  const std::string whole = encode_term_runs(runs);
  std::string changed = whole;
  changed[4 + 4 + 16] = 39;
  EXPECT_EQ(decode_term_runs(changed), std::nullopt);
}

}  // namespace
}  // namespace cairn

#include "eventstore/index/term_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string digest(std::uint64_t number) {
  const auto bytes = DigestTable::bytes_of(number);
  return {bytes.data(), bytes.size()};
}

// A table beside a map with the same pairs.
class TermTableTest : public ::testing::Test {
 protected:
  using Pairs = std::map<std::pair<TermKind, std::string>, std::vector<std::uint64_t>>;

  void add(TermKind kind, const std::string& bytes, std::uint64_t position) {
    const TermView term{kind, bytes};
    table_.add(term, hash_of(term), position);
    expected_[{kind, bytes}].push_back(position);
  }

  void add_random_terms(std::uint64_t events) {
    for (std::uint64_t position = 1; position <= events; ++position) {
      add(TermKind::kCategory, "c" + std::to_string(random_.below(3)), position);
      add(TermKind::kTag, "tag:" + std::to_string(random_.below(events)), position);
      // Some ids have one event, some several; and some share a list.
      add(TermKind::kCorrelation, digest(random_.below(2) == 0 ? random_.next() >> 16 : random_.below(20)),
          position);
      if (random_.below(4) == 0) add(TermKind::kCommand, digest(random_.below(5) << 40), position);
    }
  }

  std::vector<std::uint64_t> from(const TermView& term, std::uint64_t position, std::size_t limit) const {
    std::vector<std::uint64_t> positions;
    table_.append_from(term, position, limit, positions);
    return positions;
  }
  std::vector<std::uint64_t> down_from(const TermView& term, std::uint64_t position,
                                       std::size_t limit) const {
    std::vector<std::uint64_t> positions;
    table_.append_down_from(term, position, limit, positions);
    return positions;
  }

  TermTable table_;
  Pairs expected_;
  Random random_{"terms"};
};

TEST_F(TermTableTest, AreReadInTheOrderOnDisk) {
  add_random_terms(5'000);
  Pairs read;
  std::pair<TermKind, std::string> last{};
  for (SortedTerms sorted(table_); sorted.next();) {
    const std::pair<TermKind, std::string> term{sorted.term().kind, std::string(sorted.term().bytes)};
    if (!read.empty()) {
      EXPECT_LT((TermView{last.first, last.second}), (TermView{term.first, term.second}));
    }
    last = term;
    for (std::size_t i = 0; i < sorted.size(); ++i) read[term].push_back(sorted.position(i));
  }
  EXPECT_EQ(read, expected_);
  std::size_t pairs = 0;
  for (const auto& [term, positions] : expected_) pairs += positions.size();
  EXPECT_EQ(table_.pairs(), pairs);
}

TEST_F(TermTableTest, PositionsAreReadFromAnyPlaceInBothDirections) {
  constexpr std::uint64_t kEvents = 2'000;
  add_random_terms(kEvents);
  for (const auto& [term, positions] : expected_) {
    const TermView view{term.first, term.second};
    const std::uint64_t place = 1 + random_.below(kEvents);
    const std::size_t limit = 1 + random_.below(10);
    std::vector<std::uint64_t> up, down;
    for (const std::uint64_t position : positions) {
      if (position >= place && up.size() < limit) up.push_back(position);
    }
    for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
      if (*position <= place && down.size() < limit) down.push_back(*position);
    }
    EXPECT_EQ(from(view, place, limit), up);
    EXPECT_EQ(down_from(view, place, limit), down);
    EXPECT_EQ(down_from(view, ~std::uint64_t{0}, positions.size()).size(), positions.size());
  }
}

TEST_F(TermTableTest, AnUnknownTermHasNoPositions) {
  EXPECT_THAT(from({TermKind::kCorrelation, digest(1)}, 1, 10), IsEmpty());
  EXPECT_THAT(down_from({TermKind::kTag, "a"}, 9, 10), IsEmpty());
  EXPECT_FALSE(SortedTerms(table_).next());
  add(TermKind::kCorrelation, digest(1), 7);
  EXPECT_THAT(from({TermKind::kCorrelation, digest(2)}, 1, 10), IsEmpty());
  EXPECT_THAT(from({TermKind::kCommand, digest(1)}, 1, 10), IsEmpty());
  EXPECT_THAT(from({TermKind::kCorrelation, digest(1)}, 1, 10), ElementsAre(7));
}

TEST_F(TermTableTest, AReservedTableDoesNotGrow) {
  add_random_terms(20'000);
  TermTable next;
  next.reserve(table_.sizes());
  const std::size_t reserved = next.bytes();
  // Pairs count beside their lists, and entries of names are made as they come: the lists of ids must not grow.
  for (std::uint64_t position = 1; position <= 15'000; ++position) {
    const std::string id = digest(random_.next() >> 16);
    next.add({TermKind::kCorrelation, id}, 0, position);
  }
  EXPECT_LE(next.bytes(), reserved + reserved / 20);
}

TEST(DigestTableTest, DigestsAreOrderedLikeTheirBytes) {
  Random random("digests");
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t a = random.next() >> 16, b = random.next() >> (16 + random.below(40));
    EXPECT_EQ(DigestTable::number_of(digest(a)), a);
    const std::string text_a = digest(a), text_b = digest(b);
    EXPECT_EQ(a < b, (TermView{TermKind::kCommand, text_a} < TermView{TermKind::kCommand, text_b}));
  }
}

}  // namespace
}  // namespace cairn::test

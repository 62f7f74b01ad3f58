#include "eventstore/index/created_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> listed(const CreatedNames& names, std::string_view prefix, std::string_view from,
                                std::size_t limit) {
  std::vector<std::string> out;
  names.list(prefix, from, limit, out);
  std::sort(out.begin(), out.end());
  if (out.size() > limit) out.resize(limit);
  return out;
}

TEST(CreatedNamesTest, ListsByPrefixFromAGivenName) {
  CreatedNames names;
  EXPECT_THAT(listed(names, "", "", 10), IsEmpty());
  names.add(std::vector<std::string_view>{"b-2", "a-1", "b-1"});
  EXPECT_THAT(listed(names, "", "", 10), ElementsAre("a-1", "b-1", "b-2"));
  names.add(std::vector<std::string_view>{"b-11", "c-1"});
  EXPECT_THAT(listed(names, "b", "", 10), ElementsAre("b-1", "b-11", "b-2"));
  EXPECT_THAT(listed(names, "b", "b-11", 10), ElementsAre("b-11", "b-2"));
  EXPECT_THAT(listed(names, "", "b-11", 2), ElementsAre("b-11", "b-2"));
  EXPECT_THAT(listed(names, "d", "", 10), IsEmpty());
}

// Calls list() between additions, so that runs of many lengths are made and merged.
TEST(CreatedNamesTest, MatchesAnOrderedSet) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::deque<std::string> texts;
  std::set<std::string> model;
  CreatedNames names;
  for (int step = 0; step < 400; ++step) {
    std::vector<std::string_view> block;
    for (auto i = random() % 20; i > 0; --i) {
      const std::string name = std::to_string(random() % 100'000);
      if (model.insert(name).second) block.push_back(texts.emplace_back(name));
    }
    names.add(block);
    if (random() % 3 != 0) continue;
    const std::string prefix = random() % 2 == 0 ? "" : std::to_string(random() % 100);
    const std::string from = std::to_string(random() % 100'000);
    const std::size_t limit = random() % 40;
    std::vector<std::string> expected;
    for (auto at = model.lower_bound(std::max(prefix, from));
         at != model.end() && at->starts_with(prefix) && expected.size() < limit; ++at) {
      expected.push_back(*at);
    }
    ASSERT_EQ(listed(names, prefix, from, limit), expected) << "step " << step;
  }
}

TEST(CreatedNamesTest, TheNamesOfABlockAppearAtomically) {
  constexpr int kBlocks = 2'000;
  std::deque<std::string> texts;
  for (int i = 0; i < kBlocks; ++i) {
    texts.push_back("a-" + std::to_string(i));
    texts.push_back("b-" + std::to_string(i));
  }
  CreatedNames names;
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (int i = 0; i < kBlocks; ++i) {
      const auto at = static_cast<std::size_t>(i) * 2;
      names.add(std::vector<std::string_view>{texts[at], texts[at + 1]});
    }
    done = true;
  });
  std::size_t seen = 0;
  for (bool last = false; !last;) {
    last = done;
    std::vector<std::string> out;
    names.list("", "", 2 * kBlocks, out);
    const auto begin_with_a =
        std::count_if(out.begin(), out.end(), [](const std::string& name) { return name[0] == 'a'; });
    ASSERT_EQ(static_cast<std::size_t>(begin_with_a) * 2, out.size());
    ASSERT_GE(out.size(), seen);
    seen = out.size();
  }
  EXPECT_EQ(seen, texts.size());
}

}  // namespace
}  // namespace cairn

#include "projections/readmodel/lmdb_read_model.h"

#include <atomic>
#include <thread>

#include "tests/projections/readmodel/read_model_fixture.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(ReadModelTest, ANewReadModelIsEmptyAndHasItsIdentity) {
  reopen();
  EXPECT_EQ(checkpoint(), 0u);
  EXPECT_EQ(row_count(), 0u);
  EXPECT_THAT(page({}), IsEmpty());
  const ReadModelIdentity& read = model_->identity();
  const ReadModelIdentity written = identity_of_sales();
  EXPECT_EQ(read.projection, written.projection);
  EXPECT_EQ(read.generation, written.generation);
  EXPECT_EQ(read.fingerprint, written.fingerprint);
  EXPECT_EQ(read.source, written.source);
  EXPECT_EQ(read.store_id, written.store_id);
  EXPECT_EQ(read.made_at, written.made_at);
}

TEST_F(ReadModelTest, ACommitSurvivesReopening) {
  ASSERT_THAT(commit(Change(7).row("ann", "1").row("bob", "2").park(by_key("cy"), 5).wait(by_key("cy"), 6)),
              succeeds());
  ASSERT_THAT(commit(Change(9).row("ann", "3").erase("bob").erase("nobody").row("dan", "4")), succeeds());
  reopen();
  EXPECT_EQ(checkpoint(), 9u);
  EXPECT_EQ(row_count(), 2u);
  EXPECT_GT(model_->size()->bytes, 0u);
  EXPECT_THAT(page({}), ElementsAre("ann=3", "dan=4"));
  EXPECT_EQ(told(by_key("cy")), "5: 5 6");
}

TEST_F(ReadModelTest, ARowComesWithItsCheckpoint) {
  ASSERT_THAT(commit(Change(7).row("ann", "1")), succeeds());
  EXPECT_EQ(*model_->row("ann"), std::pair(GlobalPosition{7}, std::optional<std::string>("1")));
  for (const std::string& key :
       {std::string("an"), std::string("annn"), std::string(), std::string(600, 'k')}) {
    EXPECT_EQ(*model_->row(key), std::pair(GlobalPosition{7}, std::optional<std::string>())) << key;
  }
}

TEST_F(ReadModelTest, LoadReturnsTheRowOfEachKey) {
  ASSERT_THAT(commit(Change(7).row("a", "1").row("c", "3").row("d", "4")), succeeds());
  std::vector<std::string> found;
  const std::vector<std::string_view> keys = {"d", "a", "b", "c", "", "e"};
  ASSERT_THAT(model_->load(keys,
                           [&](std::size_t i, std::string_view saved) {
                             found.push_back(std::string(keys[i]) + "=" + std::string(saved));
                           }),
              succeeds());
  EXPECT_THAT(found, ElementsAre("d=4", "a=1", "b=", "c=3", "=", "e="));
}

TEST_F(ReadModelTest, PagesContinueAfterTheLastKey) {
  ASSERT_THAT(commit(Change(7).row("a", "0").row("b", "1").row("ba", "2").row("bb", "3").row("c", "4")),
              succeeds());
  EXPECT_THAT(page({.limit = 2}), ElementsAre("a=0", "b=1", "next b"));
  EXPECT_THAT(page({.after = "b", .limit = 3}), ElementsAre("ba=2", "bb=3", "c=4"));
  EXPECT_THAT(page({.after = "b\x01"}), ElementsAre("ba=2", "bb=3", "c=4"));
  EXPECT_THAT(page({.prefix = "b"}), ElementsAre("b=1", "ba=2", "bb=3"));
  EXPECT_THAT(page({.prefix = "b", .limit = 3}), ElementsAre("b=1", "ba=2", "bb=3"));
  EXPECT_THAT(page({.prefix = "b", .after = "b", .limit = 1}), ElementsAre("ba=2", "next ba"));
  EXPECT_THAT(page({.prefix = "b", .after = "a"}), ElementsAre("b=1", "ba=2", "bb=3"));
  EXPECT_THAT(page({.prefix = "b", .after = "bb"}), IsEmpty());
  EXPECT_THAT(page({.prefix = "b", .after = "c"}), IsEmpty());
  EXPECT_THAT(page({.prefix = std::string(600, 'b')}), IsEmpty());
  EXPECT_THAT(page({.bytes_max = 3}), ElementsAre("a=0", "b=1", "next b"));
  EXPECT_THAT(page({.after = "a", .limit = 0}), ElementsAre("next a"));
}

TEST_F(ReadModelTest, InvalidKeysChangeNothing) {
  const std::string longest(kRowKeyBytesMax, 'k');
  ASSERT_THAT(commit(Change(1).row(longest, "1").park(by_key(longest), 1)), succeeds());
  EXPECT_EQ(told(by_key(longest)), "1: 1");
  EXPECT_THAT(commit(Change(2).row("a", "1").row(longest + "k", "1")), fails_with(Errc::kTooLarge));
  EXPECT_THAT(commit(Change(2).row("a", "1").row("", "1")), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(commit(Change(2).row("a", "1").park(by_key(longest + "k"), 2)), fails_with(Errc::kTooLarge));
  EXPECT_THAT(commit(Change(2).row("a", "1").wait(by_key("a"), 2)), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(commit(Change(0).row("a", "1")), fails_with(Errc::kInvalidArgument));
  EXPECT_EQ(checkpoint(), 1u);
  EXPECT_EQ(row_count(), 1u);
  EXPECT_EQ(told(by_key("a")), "nothing");
  ASSERT_THAT(commit(Change(2).row("a", "1")), succeeds());
  EXPECT_EQ(row_count(), 2u);
}

TEST_F(ReadModelTest, SimilarPlacesAreSeparate) {
  // Names that are prefixes of others, and names with bytes that look like parts of a position.
  const std::string zeros("a\0\0\0\0\0\0\0\0", 9);
  const std::vector<ParkedPlace> places = {by_key(""),     by_key("a"),    by_key(zeros), by_key("aa"),
                                           by_key("\xff"), by_stream("a"), by_stream("b")};
  Change change(100);
  for (std::size_t i = 0; i < places.size(); ++i) {
    change.park(places[i], 10 + i).wait(places[i], 50 + i).wait(places[i], 40 + i).wait(places[i], 50 + i);
  }
  ASSERT_THAT(commit(change), succeeds());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string at = std::to_string(10 + i), first = std::to_string(40 + i),
                      next = std::to_string(50 + i);
    EXPECT_EQ(told(places[i]), at + ": " + at + " " + first + " " + next);
  }
  const auto listed = model_->parked(std::nullopt, 100);
  ASSERT_THAT(listed, succeeds());
  ASSERT_EQ(listed->size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ((*listed)[i].place, places[i]);
  EXPECT_EQ((*listed)[0].event.kind, "script");
  EXPECT_EQ((*listed)[0].event.message, "it failed");
  EXPECT_EQ((*listed)[0].event.line, 7u);
  EXPECT_EQ((*listed)[0].event.parked_at, Timestamp{1'700'000'000'000'002});
  const auto behind = model_->parked(places[2], 2);
  ASSERT_EQ(behind->size(), 2u);
  EXPECT_EQ((*behind)[0].place, places[3]);
  EXPECT_EQ(model_->waiting(places[1], {41}, 1)->at(0), GlobalPosition{41});
  EXPECT_EQ(model_->waiting(places[1], {42}, 5)->size(), 1u);

  ASSERT_THAT(commit(Change(101).release(places[1]).release(by_key("never parked"))), succeeds());
  EXPECT_EQ(told(places[1]), "nothing");
  EXPECT_EQ(told(places[2]), "12: 12 42 52");
  EXPECT_EQ(told(places[5]), "15: 15 45 55");
  reopen();
}

TEST_F(ReadModelTest, ParkingAgainKeepsLaterWaitingEvents) {
  const ParkedPlace place = by_key("ann");
  ASSERT_THAT(commit(Change(9).park(place, 3).wait(place, 5).wait(place, 8)), succeeds());
  ASSERT_THAT(commit(Change(9).park(place, 3, 1)), succeeds());
  EXPECT_EQ(told(place), "3: 3 5 8");
  EXPECT_EQ((*model_->find_parked(place))->event.retries, 1u);
  ASSERT_THAT(commit(Change(9).park(place, 5)), succeeds());
  EXPECT_EQ(told(place), "5: 5 8");
  EXPECT_THAT(commit(Change(9).wait(place, 4)), fails_with(Errc::kInvalidArgument));
  ASSERT_THAT(commit(Change(9).release(place).park(place, 8).wait(place, 9)), succeeds());
  EXPECT_EQ(told(place), "8: 8 9");
  reopen();
}

TEST_F(ReadModelTest, ReadersSeeOneCommitWhileAWriterCommits) {
  constexpr int kRows = 50;
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> reads = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!stop) {
        const auto rows = model_->rows({});
        ASSERT_THAT(rows, succeeds());
        for (const SavedRow& row : rows->rows) ASSERT_EQ(row.saved, std::to_string(rows->position.value));
        ASSERT_GE(rows->position.value, last);
        last = rows->position.value;
        const auto row = model_->row("key-7");
        ASSERT_THAT(row, succeeds());
        ASSERT_EQ(row->second.value_or("0"), std::to_string(row->first.value));
        ++reads;
      }
    });
  }
  for (std::uint64_t through = 1; through < 200 || reads < 100; ++through) {
    Change change(through);
    for (int i = 0; i < kRows; ++i) change.row("key-" + std::to_string(i), std::to_string(through));
    ASSERT_THAT(commit(change), succeeds());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(ReadModelTest, CreateRefusesAnExistingFolderAndReplacesAnUnfinishedOne) {
  ASSERT_THAT(commit(Change(7).row("a", "1")), succeeds());
  close();
  EXPECT_THAT(LmdbReadModel::create(folder(), identity_of_sales()), fails_with(Errc::kFailedPrecondition));
  reopen();
  EXPECT_EQ(checkpoint(), 7u);
  EXPECT_THAT(LmdbReadModel::open(folder_ / "none", Access::kReadWrite), fails_with(Errc::kNotFound));

  const auto other = folder_ / "sales" / "4";
  std::filesystem::create_directories(other.string() + LmdbReadModel::kUnfinishedSuffix);
  EXPECT_THAT(LmdbReadModel::open(other, Access::kReadWrite), fails_with(Errc::kNotFound));
  EXPECT_THAT(LmdbReadModel::create(other, identity_of_sales()), succeeds());
  EXPECT_FALSE(std::filesystem::exists(other.string() + LmdbReadModel::kUnfinishedSuffix));
}

TEST_F(ReadModelTest, ReadOnlyAccessRefusesCommits) {
  ASSERT_THAT(commit(Change(7).row("a", "1")), succeeds());
  reopen(Access::kReadOnly);
  EXPECT_THAT(page({}), ElementsAre("a=1"));
  EXPECT_THAT(commit(Change(8)), fails_with(Errc::kFailedPrecondition));
}

TEST_F(ReadModelTest, RandomChangesMatchAMap) {
  Random random("ReadModelTest");
  std::map<std::string, std::string> rows;
  std::map<ParkedPlace, std::vector<std::uint64_t>> parked;
  for (std::uint64_t through = 1; through <= rounds(60, 600); ++through) {
    Change change(through);
    for (std::size_t i = random.below(100); i > 0; --i) {
      const std::string key = "key-" + std::to_string(random.below(300));
      const std::string saved(random.below(3) * random.below(random.one_in(30) ? 6'000 : 200), 's');
      change.row(key, saved);
      if (saved.empty()) {
        rows.erase(key);
      } else {
        rows[key] = saved;
      }
    }
    const ParkedPlace place = by_key(std::to_string(random.below(5)));
    if (random.one_in(4)) {
      change.release(place);
      parked.erase(place);
    } else if (parked[place].empty()) {
      change.park(place, through);
      parked[place] = {through};
    } else {
      change.wait(place, through);
      parked[place].push_back(through);
    }
    ASSERT_THAT(commit(change), succeeds());
    if (random.one_in(5)) reopen();
    ASSERT_EQ(row_count(), rows.size());
    std::vector<std::string> expected;
    for (const auto& [key, saved] : rows) expected.push_back(key + "=" + saved);
    ASSERT_EQ(page({.limit = 1'000}), expected);
    for (const auto& [at, positions] : parked) {
      std::string text = positions.empty() ? "nothing" : std::to_string(positions[0]) + ":";
      for (const std::uint64_t position : positions) text += " " + std::to_string(position);
      ASSERT_EQ(told(at), text);
    }
  }
}

}  // namespace
}  // namespace cairn::test

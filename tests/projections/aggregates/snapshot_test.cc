// Snapshots: when they are made, when they are valid, and that they change nothing but the speed of reads.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "projections/aggregates/snapshot_codec.h"
#include "tests/projections/aggregates/aggregates_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SnapshotTest : public AggregatesTest {
 protected:
  // Flips a bit of the newest snapshot of a stream in the index file.
  void damage_snapshot(const std::string& stream) {
    const auto record = value_of(store().find_snapshot(stream, {~0ull})).newest;
    ASSERT_TRUE(record);
    const std::string end = record->bytes.substr(record->bytes.size() - 12);
    close_states();
    const std::filesystem::path file = folder() / "index" / "data.mdb";
    std::ifstream in(file, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    in.close();
    std::size_t places = 0;
    for (std::size_t found = bytes.find(end); found != std::string::npos;
         found = bytes.find(end, found + 1)) {
      bytes[found + 3] = static_cast<char>(bytes[found + 3] ^ 1);
      ++places;
    }
    ASSERT_GT(places, 0u);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  SnapshotReport all(SnapshotAllOptions options = {}) {
    return value_of(states().snapshot_all("order", options));
  }
};

TEST_F(SnapshotTest, AReadBeginsWithTheNewestSnapshotAtOrBelowItsVersion) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 3);
  EXPECT_EQ(snapshot("order-1"), 3u);
  added("order-1", 4, 4);
  EXPECT_EQ(snapshot("order-1"), 7u);
  added("order-1", 2, 8);
  EXPECT_EQ(told("order-1"), R"({"n":9,"sum":45} after 9, 2 folded behind 7)");
  EXPECT_EQ(told("order-1", at(7)), R"({"n":7,"sum":28} after 7, 0 folded behind 7)");
  EXPECT_EQ(told("order-1", at(6)), R"({"n":6,"sum":21} after 6, 3 folded behind 3)");
  EXPECT_EQ(told("order-1", at(2)), R"({"n":2,"sum":3} after 2, 2 folded behind 0)");
  const StreamState state = found("order-1", at(7));
  EXPECT_EQ(state.recorded_at, clock().now());
  EXPECT_EQ(state.position.value, events_in("order-1").at(6).position);
  restart_states();
  EXPECT_EQ(told("order-1"), R"({"n":9,"sum":45} after 9, 2 folded behind 7)");
}

TEST_F(SnapshotTest, SnapshotStreamKeepsAValidOneAtTheHead) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 3);
  const SnapshotMade first = *states().snapshot_stream("order-1");
  EXPECT_FALSE(first.fresh);
  EXPECT_EQ(first.events_folded, 3u);
  const SnapshotMade second = *states().snapshot_stream("order-1");
  EXPECT_TRUE(second.fresh);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(states().snapshot_stream("order-2").error().kind, StateProblem::Kind::kNoStream);
  EXPECT_EQ(states().snapshot_stream("cart-2").error().kind, StateProblem::Kind::kNoAggregate);
}

TEST_F(SnapshotTest, AReadThatFoldedManyEventsWritesASnapshot) {
  added("order-1", 120);
  has_aggregate(kSum);
  EXPECT_EQ(found("order-1").events_folded, 120u);
  wait_for_snapshots();
  EXPECT_THAT(snapshots_of("order-1"), ElementsAre(120));
  EXPECT_EQ(found("order-1").events_folded, 0u);
  EXPECT_EQ(states().stats().snapshots_written, 1u);
  EXPECT_EQ(states().stats().snapshot_hits, 1u);
  EXPECT_EQ(misses(SnapshotMiss::kNone), 1u);
}

TEST_F(SnapshotTest, AGrowingStreamGetsASnapshotAtEachMultiple) {
  has_aggregate(aggregate("Added = function(s, e) s.n = e.data.cents end", " snapshot_every = 10,"));
  for (std::uint64_t i = 0; i < 3; ++i) {
    added("order-1", 10, 1 + i * 10);
    added("order-2", 3, 1 + i * 3);
    added("cart-1", 10);
    wait_for_snapshots();
  }
  EXPECT_THAT(snapshots_of("order-1"), ElementsAre(10, 20, 30));
  EXPECT_THAT(snapshots_of("order-2"), IsEmpty());
  added("order-2", 25, 10);
  wait_for_snapshots();
  EXPECT_THAT(snapshots_of("order-2"), ElementsAre(30));
  EXPECT_EQ(told("order-2"), R"({"n":34} after 34, 4 folded behind 30)");
}

TEST_F(SnapshotTest, SnapshotEveryFalseMakesNoAutomaticSnapshots) {
  has_aggregate(aggregate("Added = function(s, e) s.n = e.data.cents end", " snapshot_every = false,"));
  added("order-1", 500);
  EXPECT_EQ(found("order-1").events_folded, 500u);
  wait_for_snapshots();
  EXPECT_THAT(snapshots_of("order-1"), IsEmpty());
  EXPECT_EQ(snapshot("order-1"), 500u);
  EXPECT_EQ(found("order-1").events_folded, 0u);
}

TEST_F(SnapshotTest, AReadOfALongStreamFoldsFewEvents) {
  has_aggregate(kSum);
  added("order-1", 50'000);
  wait_for_snapshots();
  added("order-1", 60, 1);
  wait_for_snapshots();
  const StreamState state = found("order-1");
  EXPECT_LE(state.events_folded, 100u);
  EXPECT_EQ(state.json, R"({"n":50060,"sum":1250026830})");
}

TEST_F(SnapshotTest, ANewSourceInvalidatesSnapshots) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 5);
  EXPECT_EQ(snapshot("order-1"), 5u);
  has_aggregate(aggregate("Added = function(s, e) s.last = e.data.cents end"));
  EXPECT_EQ(told("order-1"), R"({"last":5} after 5, 5 folded behind 0)");
  EXPECT_EQ(misses(SnapshotMiss::kAggregate), 1u);
  ASSERT_EQ(value_of(states().snapshots("order-1")).size(), 1u);
  EXPECT_EQ(value_of(states().snapshots("order-1"))[0].unusable, SnapshotMiss::kAggregate);
  added("order-1", 1, 6);
  EXPECT_EQ(all().made, 1u);
  EXPECT_THAT(snapshots_of("order-1"), ElementsAre(6));  // The invalid one was deleted in the same commit.
  EXPECT_EQ(told("order-1"), R"({"last":6} after 6, 0 folded behind 6)");
}

TEST_F(SnapshotTest, ANewUpcasterInvalidatesSnapshots) {
  without_automatic_snapshots();
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  added("order-2", 3);
  registered("Order", kCents);
  deployed(kEurosToCents);
  has_aggregate(
      aggregate("Order = function(s, e) s.cents = e.data.cents end,\n"
                "Added = function(s, e) s.cents = e.data.cents end"));
  EXPECT_EQ(snapshot("order-1"), 1u);
  EXPECT_EQ(snapshot("order-2"), 3u);
  EXPECT_EQ(told("order-1"), R"({"cents":150} after 1, 0 folded behind 1)");
  deployed(upcaster("Order", 1, 2, "return { cents = 7 }"));
  EXPECT_EQ(told("order-1"), R"({"cents":7} after 1, 1 folded behind 0)");
  EXPECT_EQ(misses(SnapshotMiss::kShapes), 1u);
  EXPECT_EQ(told("order-2"), R"({"cents":3} after 3, 0 folded behind 3)");  // It has no event of that type.
  const SnapshotReport report = all();
  EXPECT_EQ(report.made, 1u);
  EXPECT_EQ(report.fresh, 1u);
  EXPECT_EQ(told("order-1"), R"({"cents":7} after 1, 0 folded behind 1)");
}

TEST_F(SnapshotTest, ANewSchemaInvalidatesSnapshots) {
  without_automatic_snapshots();
  registered("Order", record(R"({"name":"a","type":"long"})"));
  append_as("order-1", "Order", 1, R"({"a":1})");
  has_aggregate(aggregate("Order = function(s, e) s.a = e.data.a; s.b = e.data.b end"));
  EXPECT_EQ(snapshot("order-1"), 1u);
  registered("Order", record(R"({"name":"a","type":"long"},{"name":"b","type":"long","default":9})"));
  EXPECT_EQ(told("order-1"), R"({"a":1,"b":9} after 1, 1 folded behind 0)");
  EXPECT_EQ(misses(SnapshotMiss::kShapes), 1u);
}

// An upcaster may turn a type without a handler into one that has a handler.
TEST_F(SnapshotTest, AnUpcasterOfATypeWithoutHandlerInvalidatesSnapshots) {
  without_automatic_snapshots();
  registered("Line", record(R"({"name":"n","type":"long"})", "Line"));
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2.0})");
  has_aggregate(aggregate("Line = function(s, e) s.n = e.data.n end"));
  EXPECT_EQ(snapshot("order-1"), 1u);
  EXPECT_EQ(told("order-1"), "{} after 1, 0 folded behind 1");
  registered("Order", kCents);
  deployed(upcaster("Order", 1, 2, "return { {type = 'Line', data = {n = 5}} }"));
  EXPECT_EQ(told("order-1"), R"({"n":5} after 1, 1 folded behind 0)");
}

// The parts of an event pass through the upcasting chains of their own types.
TEST_F(SnapshotTest, AnUpcasterOfAPartsTypeInvalidatesSnapshots) {
  without_automatic_snapshots();
  registered("Line", record(R"({"name":"n","type":"long"})", "Line"));
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":2.0})");
  registered("Order", kCents);
  deployed(upcaster("Order", 1, 2, "return { {type = 'Line', data = {n = 5}} }"));
  has_aggregate(aggregate("Line = function(s, e) s.n = e.data.n; s.text = e.data.text end"));
  EXPECT_EQ(snapshot("order-1"), 1u);
  EXPECT_EQ(told("order-1"), R"({"n":5} after 1, 0 folded behind 1)");
  registered("Line", record(R"({"name":"text","type":"string"})", "Line"));
  deployed(upcaster("Line", 1, 2, "return { text = 'n' .. data.n }"));
  EXPECT_EQ(told("order-1"), R"({"text":"n5"} after 1, 1 folded behind 0)");
  EXPECT_EQ(snapshot("order-1"), 1u);
  EXPECT_EQ(told("order-1"), R"({"text":"n5"} after 1, 0 folded behind 1)");
  deployed(upcaster("Line", 1, 2, "return { text = 'm' .. data.n }"));
  EXPECT_EQ(told("order-1"), R"({"text":"m5"} after 1, 1 folded behind 0)");
}

// The chains of a snapshot must be current for the snapshots made from it, too.
TEST_F(SnapshotTest, ASnapshotInheritsTheChainsOfTheOneItBeganWith) {
  without_automatic_snapshots();
  registered("Order", kEuros);
  append_as("order-1", "Order", 1, R"({"total":1.5})");
  registered("Order", kCents);
  deployed(kEurosToCents);
  has_aggregate(
      aggregate("Order = function(s, e) s.cents = e.data.cents end,\nAdded = function(s, e) s.n = 1 end"));
  EXPECT_EQ(snapshot("order-1"), 1u);
  added("order-1", 1);
  EXPECT_EQ(snapshot("order-1"), 2u);
  EXPECT_EQ(told("order-1"), R"({"cents":150,"n":1} after 2, 0 folded behind 2)");
  deployed(upcaster("Order", 1, 2, "return { cents = 7 }"));
  EXPECT_EQ(told("order-1"), R"({"cents":7,"n":1} after 2, 2 folded behind 0)");
}

TEST_F(SnapshotTest, ADamagedSnapshotIsIgnoredAndReplaced) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 3);
  EXPECT_EQ(snapshot("order-1"), 3u);
  added("order-1", 3, 4);
  EXPECT_EQ(snapshot("order-1"), 6u);
  damage_snapshot("order-1");
  EXPECT_EQ(told("order-1"), R"({"n":6,"sum":21} after 6, 3 folded behind 3)");
  EXPECT_EQ(misses(SnapshotMiss::kDamaged), 1u);
  EXPECT_EQ(value_of(states().snapshots("order-1")).at(1).unusable, SnapshotMiss::kDamaged);
  EXPECT_EQ(snapshot("order-1"), 6u);
  EXPECT_EQ(told("order-1"), R"({"n":6,"sum":21} after 6, 0 folded behind 6)");
  close_states();
  expect_sound();
}

TEST_F(SnapshotTest, BytesThatAreNotASnapshotAreIgnored) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 3);
  const std::string fingerprint = states().aggregates().find("order")->info().fingerprint;
  const auto saying = [&](const std::string& state) {
    return encode_snapshot({{1}, {1}, fingerprint, {}, state});
  };
  for (const std::string& bytes : {std::string(), std::string("\x02"), std::string("\x01\x01\x01\x7f"),
                                   std::string(100, '\xff'), saying(""), saying("\x09{}"), saying("\x02{]"),
                                   saying("\x01"
                                          "3")}) {
    const std::vector<SnapshotRecord> one{{"order-1", {2}, bytes}};
    ASSERT_THAT(store().put_snapshots(one), succeeds());
    EXPECT_EQ(told("order-1"), R"({"n":3,"sum":6} after 3, 3 folded behind 0)");
    EXPECT_EQ(value_of(states().snapshots("order-1")).at(0).unusable, SnapshotMiss::kDamaged);
  }
}

// An empty table is [] if it is marked as an array, else {}. The JSON of tables that are not empty does not
// show the mark, so a snapshot stores it.
TEST_F(SnapshotTest, ArrayMarksSurviveASnapshot) {
  without_automatic_snapshots();
  has_aggregate(
      aggregate("Put = function(s, e) table.insert(s.plain, { e.version }); table.insert(s.marked, { x = "
                "array { 1 } }) end,\n"
                "Cut = function(s, e) for _, one in ipairs(s.marked) do table.remove(one.x) end; "
                "s.plain[1][1] = nil end,\n"
                "Take = function(s, e) table.remove(s.plain); table.remove(s.marked) end",
                " initial = function() return { plain = {}, marked = array {} } end,"));
  append("order-1", {"Put", "Put", "Cut", "Take", "Take"});
  std::vector<std::string> folded;
  for (std::uint64_t version = 1; version <= 5; ++version) folded.push_back(json_at("order-1", at(version)));
  EXPECT_EQ(folded[2], R"({"marked":[{"x":[]},{"x":[]}],"plain":[{},[2]]})");
  EXPECT_EQ(folded[4], R"({"marked":[],"plain":{}})");
  for (const std::uint64_t from : {1, 2, 3, 4}) {
    const std::string stream = "order-9" + std::to_string(from);
    const std::vector<const char*> types{"Put", "Put", "Cut", "Take", "Take"};
    for (std::uint64_t i = 0; i < from; ++i) append(stream, {types[i]});
    EXPECT_EQ(snapshot(stream), from);
    for (std::uint64_t i = from; i < 5; ++i) append(stream, {types[i]});
    for (std::uint64_t version = from; version <= 5; ++version) {
      EXPECT_EQ(json_at(stream, at(version)), folded[version - 1]) << from << " to " << version;
      EXPECT_EQ(found(stream, at(version)).snapshot_version.value, from);
    }
  }
}

// Loaded from a snapshot it would be two tables, and a change of one would not change the other.
TEST_F(SnapshotTest, AStateWithOneTableInTwoPlacesIsFoldedEachTime) {
  added("order-1", 150);
  append("order-2", {"Kept"});
  has_aggregate(
      aggregate("Added = function(s, e) s.a = s.a or { n = 0 }; s.b = s.a; s.b.n = s.b.n + 1 end,\n"
                "Kept = function(s, e) s.event = e end"));
  EXPECT_EQ(told("order-1"), R"({"a":{"n":150},"b":{"n":150}} after 150, 150 folded behind 0)");
  wait_for_snapshots();
  EXPECT_THAT(snapshots_of("order-1"), IsEmpty());
  EXPECT_EQ(states().stats().snapshots_unsavable, 1u);
  EXPECT_THAT(states().snapshot_stream("order-1").error().message, HasSubstr("cannot be saved"));
  EXPECT_THAT(states().snapshot_stream("order-2").error().message, HasSubstr("cannot be saved"));
  EXPECT_EQ(all().unsavable, 2u);
}

TEST_F(SnapshotTest, SnapshotAllCoversACategory) {
  without_automatic_snapshots();
  has_aggregate(
      aggregate("Added = function(s, e) s.n = e.data.cents end,\nBroken = function() error('no') end"));
  for (int i = 0; i < 700; ++i) added("order-" + std::to_string(i), 3);
  append("order-broken", {"Broken"});
  added("cart-1", 3);
  std::atomic<std::uint64_t> last = 0;
  SnapshotAllOptions options;
  options.threads = 3;
  options.progress = [&](const SnapshotProgress& progress) {
    EXPECT_EQ(progress.total, 701u);
    EXPECT_GE(progress.done, last.load());
    last = progress.done;
  };
  SnapshotReport report = all(options);
  EXPECT_EQ(last, 701u);
  EXPECT_EQ(report.streams, 701u);
  EXPECT_EQ(report.made, 700u);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.events_folded, 2'100u);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].stream, "order-broken");
  EXPECT_THAT(report.failures[0].problem.message, HasSubstr("order.lua:5: no"));
  EXPECT_EQ(told("order-77"), R"({"n":3} after 3, 0 folded behind 3)");

  added("order-5", 1, 4);
  report = all();
  EXPECT_EQ(report.made, 1u);
  EXPECT_EQ(report.fresh, 699u);
  EXPECT_THAT(states().snapshot_all("cart"), fails_with(Errc::kNotFound));
}

TEST_F(SnapshotTest, SnapshotAllCanBeCancelledAndContinued) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  for (int i = 0; i < 900; ++i) added("order-" + std::to_string(i), 1);
  std::atomic<bool> cancel = false;
  SnapshotAllOptions options;
  options.threads = 1;
  options.cancel = &cancel;
  options.progress = [&](const SnapshotProgress& progress) { cancel = progress.done >= 256; };
  const SnapshotReport first = all(options);
  EXPECT_TRUE(first.cancelled);
  EXPECT_EQ(first.made, 256u);
  const SnapshotReport second = all();
  EXPECT_FALSE(second.cancelled);
  EXPECT_EQ(second.fresh, first.made);
  EXPECT_EQ(second.made + second.fresh, 900u);
}

TEST_F(SnapshotTest, PruningKeepsTheNewest) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    added("order-1", 1, i);
    snapshot("order-1");
  }
  EXPECT_EQ(value_of(states().prune("order-1", 2)), 3u);
  EXPECT_THAT(snapshots_of("order-1"), ElementsAre(4, 5));
  EXPECT_EQ(told("order-1", at(3)), R"({"n":3,"sum":6} after 3, 3 folded behind 0)");
}

TEST_F(SnapshotTest, AStateThatIsTooLargeIsFoldedEachTime) {
  without_automatic_snapshots();
  has_aggregate(aggregate("Added = function(s, e) s.text = string.rep('x', 5000000) end"));
  added("order-1", 1);
  EXPECT_EQ(found("order-1").json.size(), 5'000'011u);
  EXPECT_FALSE(states().snapshot_stream("order-1"));
  EXPECT_THAT(snapshots_of("order-1"), IsEmpty());
}

}  // namespace
}  // namespace cairn::test

// Invariant 1 of AggregateStates: a state read with snapshots equals the state folded from the first event
// on, whatever happens between two reads.

#include <map>

#include "projections/script/aggregate_fold.h"
#include "tests/projections/aggregates/aggregates_fixture.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class AggregatePropertyTest : public AggregatesTest {
 protected:
  static constexpr int kStreams = 4;

  // Lists that grow and shrink, with and without array marks, integers and floats, members that are added and
  // removed.
  static std::string source(std::uint64_t salt) {
    return R"lua(
local salt = )lua" +
           std::to_string(salt) + R"lua(
return aggregate {
  category = "order", snapshot_every = 5,
  initial = function() return { plain = {}, marked = array {}, by_type = {}, sum = salt, mean = 0.5 } end,
  on = {
    Order = function(s, e)
      s.sum = s.sum + e.data.cents
      s.mean = (s.mean + e.data.cents) / 2
      s.by_type.Order = (s.by_type.Order or 0) + 1
    end,
    Line = function(s, e)
      s.by_type.Line = (s.by_type.Line or 0) + 1
      s.lines = s.lines or {}
      s.lines[#s.lines + 1] = { text = e.data.text, at = e.version }
    end,
    Put = function(s, e)
      table.insert(s.plain, { e.data.n, salt })
      table.insert(s.marked, e.data)
      s["member" .. e.data.n % 5] = e.data.n % 2 == 0 and null or e.data.n
    end,
    Take = function(s, e)
      table.remove(s.plain, 1)
      table.remove(s.marked)
      s.lines = nil
      s["member" .. e.data.n % 5] = nil
    end,
    New = function(s, e) return { plain = s.marked, marked = array {}, by_type = {}, sum = e.version, mean = 1.0 } end,
  },
}
)lua";
  }

  void set_up() {
    if (random_.one_in(2)) without_automatic_snapshots();
    registered("Line", record(R"({"name":"text","type":"string"})", "Line"));
    registered("Order", kEuros);
    registered("Order", kCents);
    deployed(kEurosToCents);
    deploy_current();
  }

  void deploy_current() {
    current_ = source(random_.below(3));
    deploy_aggregate(current_);
  }

  // The results of the upcasters: cents in several forms, lines instead, or nothing.
  void replace_upcaster() {
    switch (random_.below(4)) {
      case 0:
        return replace(kEurosToCents);
      case 1:
        return replace(
            upcaster("Order", 1, 2, "return { cents = " + std::to_string(random_.below(3)) + " }"));
      case 2:
        return replace(
            upcaster("Order", 1, 2, "return { {data = {cents = 5}}, {type = 'Line', data = {text = 'x'}} }"));
      default:
        return replace(upcaster("Order", 1, 2, "return {}"));
    }
  }
  void replace(const std::string& script) {
    const auto outcome = deploy(script);
    EXPECT_TRUE(outcome.ok()) << UpcastersTest::told(outcome);
  }

  std::string some_stream() { return "order-" + std::to_string(random_.below(kStreams)); }

  void append_some() {
    const std::string stream = some_stream();
    for (std::uint64_t i = random_.between(1, 12); i > 0; --i) {
      if (random_.one_in(2)) clock().advance(static_cast<std::int64_t>(random_.below(3)));
      const std::string n = "{\"n\":" + std::to_string(random_.below(20)) + "}";
      switch (random_.below(6)) {
        case 0:
          append_as(stream, "Order", 1, R"({"total":)" + std::to_string(random_.below(9)) + ".25}");
          break;
        case 1:
          append_as(stream, "Order", 2, R"({"cents":)" + std::to_string(random_.below(9)) + "}");
          break;
        case 2:
        case 3:
          append(stream, {event("Put", n)});
          break;
        case 4:
          append(stream, {event("Take", n)});
          break;
        default:
          append(stream, {event(random_.one_in(3) ? "New" : "Other", n)});
      }
    }
    streams_[stream] = version_of(stream);
  }

  // The state computed by this test alone, without snapshots.
  std::string folded(const std::string& stream, std::uint64_t version) {
    auto made = AggregateFold::make(current_, "order.lua");
    AggregateFold& fold = **made;
    EXPECT_TRUE(fold.reset());
    const auto shaper = shapes().shapers().lease();
    const StreamPage page = value_of(store().read_stream(stream, {.limit = version}));
    for (const EventView& event : page.events) {
      EXPECT_TRUE(shaper->shape(event, Shape::latest()));
      for (const ShapedEvent& part : shaper->parts()) EXPECT_TRUE(fold.apply(event, part));
    }
    std::string json;
    EXPECT_TRUE(fold.append_json(json));
    return json;
  }

  void compare_some() {
    if (streams_.empty()) return;
    auto stream = streams_.begin();
    std::advance(stream, static_cast<std::ptrdiff_t>(random_.below(streams_.size())));
    const auto& [name, head] = *stream;
    const std::uint64_t version = random_.between(1, head);
    const StreamState state = found(name, at(version));
    EXPECT_EQ(state.version.value, version);
    ASSERT_EQ(state.json, folded(name, version))
        << name << " at " << version << " behind " << state.snapshot_version.value;
    if (state.snapshot_version.value > 0) ++with_snapshot_;

    // The same by time: the last event recorded at that time.
    const auto events = events_in(name, Direction::kForward, 1'000);
    const std::int64_t time = events.at(version - 1).recorded_at;
    std::uint64_t last = version;
    while (last < head && events.at(last).recorded_at <= time) ++last;
    const StreamState then = found(name, StateQuery::at_time({time}));
    EXPECT_EQ(then.version.value, last);
    ASSERT_EQ(then.json, folded(name, last));
  }

  void snapshot_some() {
    if (streams_.empty()) return;
    if (random_.one_in(4)) {
      EXPECT_EQ(value_of(states().snapshot_all("order")).failed, 0u);
    } else if (const std::string stream = some_stream(); streams_.contains(stream)) {
      EXPECT_EQ(snapshot(stream), streams_[stream]);
      if (random_.one_in(6)) value_of(states().prune(stream, random_.below(3)));
    }
  }

  Random random_{"aggregates"};
  std::string current_;
  std::map<std::string, std::uint64_t> streams_;
  std::uint64_t with_snapshot_ = 0;
};

TEST_F(AggregatePropertyTest, SnapshotsDoNotChangeStates) {
  set_up();
  const std::size_t steps = rounds(2'000, 20'000);
  for (std::size_t i = 0; i < steps && !HasFatalFailure(); ++i) {
    const std::uint64_t what = random_.below(40);
    if (what == 0) {
      replace_upcaster();
    } else if (what == 1) {
      deploy_current();
    } else if (what == 2) {
      if (random_.one_in(4)) restart_states();
    } else if (what < 10) {
      snapshot_some();
    } else if (what < 18) {
      append_some();
    } else {
      compare_some();
    }
  }
  std::printf("%llu states were read from snapshots\n", static_cast<unsigned long long>(with_snapshot_));
  EXPECT_GT(with_snapshot_, 0u);
}

}  // namespace
}  // namespace cairn::test

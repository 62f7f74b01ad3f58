// Replays deliver all events in order, on any number of threads.

#include <numeric>

#include "tests/upcasters/upcasters_fixture.h"
#include "upcasters/shaping/pipeline.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Keeps the positions and the data of its events.
class Lines final : public ReplayRange {
 public:
  bool take(const EventView& stored, std::span<const ShapedEvent> parts) override {
    for (const ShapedEvent& part : parts) {
      std::string json;
      if (part.plan == nullptr || !append_avro_as_json(*part.plan, part.data, json))
        json = std::string(part.data);
      lines.push_back(std::to_string(stored.position.value) + " " + json);
    }
    return stored.position != stop_at;
  }
  bool fail(const EventView& stored, const ShapeFault& fault) override {
    lines.push_back(std::to_string(stored.position.value) + " " + fault.message);
    return true;
  }

  std::vector<std::string> lines;
  GlobalPosition stop_at;
};

class PipelineTest : public UpcastersTest {
 protected:
  void SetUp() override {
    registered("Order", kEuros);
    registered("Order", kCents);
    deployed(kEurosToCents);
    for (int i = 0; i < 400; ++i) {
      const std::string stream = (i % 2 == 0 ? "order-" : "cart-") + std::to_string(i % 7);
      if (i % 3 == 0) {
        append_as(stream, "Order", 1, R"({"total":)" + std::to_string(i) + "}");
      } else if (i % 3 == 1) {
        append_as(stream, "Order", 2, R"({"cents":)" + std::to_string(i) + "}");
      } else {
        append(stream, {event("Free", std::to_string(i))});
      }
    }
  }

  struct Seen {
    std::vector<std::string> lines;
    GlobalPosition through;
  };
  Seen replayed(ReplayQuery query, GlobalPosition stop_at = {}) {
    Seen seen;
    GlobalPosition before{0};
    const ReplayConsumer consumer{[&](Shaper&) {
                                    auto lines = std::make_unique<Lines>();
                                    lines->stop_at = stop_at;
                                    return lines;
                                  },
                                  [&](std::unique_ptr<ReplayRange> range, GlobalPosition through) {
                                    EXPECT_GT(through, before);
                                    before = through;
                                    for (std::string& line : static_cast<Lines&>(*range).lines) {
                                      seen.lines.push_back(std::move(line));
                                    }
                                    return true;
                                  }};
    seen.through = value_of(replay(store(), shapes().shapers(), query, consumer));
    return seen;
  }
};

TEST_F(PipelineTest, AnyNumberOfThreadsDeliversTheSame) {
  const Seen one = replayed({});
  EXPECT_EQ(one.through.value, head());
  EXPECT_EQ(one.lines.size(), head());
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const std::size_t range : {1u, 7u, 100u, 10'000u}) {
      const Seen seen = replayed({.threads = threads, .range_positions = range});
      EXPECT_EQ(seen.lines, one.lines) << threads << " threads, ranges of " << range;
      EXPECT_EQ(seen.through, one.through);
    }
  }
}

TEST_F(PipelineTest, OnlyTheRequestedRangeIsDelivered) {
  const auto orders = replayed({.filter = {{"order"}, {"Order"}}, .threads = 2, .range_positions = 10}).lines;
  std::size_t expected = 0;
  for (const Event& event : log({{"order"}, {"Order"}}, Direction::kForward, 1'000)) {
    EXPECT_TRUE(orders.at(expected).starts_with(std::to_string(event.position) + " {\"cents\":"))
        << orders[expected];
    ++expected;
  }
  EXPECT_EQ(orders.size(), expected);
  const Seen part = replayed({.from = {10}, .to = GlobalPosition{20}, .threads = 2, .range_positions = 3});
  EXPECT_EQ(part.lines.size(), 11u);
  EXPECT_EQ(part.through, GlobalPosition{20});
}

TEST_F(PipelineTest, AConsumerCanEndTheReplay) {
  for (const unsigned threads : {1u, 3u}) {
    const Seen seen = replayed({.threads = threads, .range_positions = 10}, {55});
    EXPECT_EQ(seen.lines.size(), 55u);
    EXPECT_EQ(seen.through, GlobalPosition{50});
  }
}

TEST_F(PipelineTest, TheReplayEndsAtTheHead) {
  const Seen seen = replayed({.from = {head() + 1}, .threads = 2});
  EXPECT_THAT(seen.lines, IsEmpty());
  EXPECT_EQ(seen.through.value, head());
}

TEST_F(PipelineTest, AnEventThatCannotBeShapedIsReportedInOrder) {
  deployed(upcaster("Order", 1, 2, "assert(data.total >= 0, 'odd') return { cents = 0 }"));
  const auto odd = append_as("order-1", "Order", 1, R"({"total":-1})");
  append_as("order-1", "Order", 1, R"({"total":5})");
  for (const unsigned threads : {1u, 2u}) {
    const auto lines = replayed({.from = odd.first_position, .threads = threads, .range_positions = 1}).lines;
    EXPECT_THAT(lines, ElementsAre(std::to_string(odd.first_position.value) + " Order/1-2.lua:4: odd",
                                   std::to_string(odd.first_position.value + 1) + R"( {"cents":0})"));
  }
}

}  // namespace
}  // namespace cairn::test

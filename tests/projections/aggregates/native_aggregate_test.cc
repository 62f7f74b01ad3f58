// Native (C++) aggregates.

#include "eventstore/base/endian.h"
#include "schemaregistry/codec/json_sink.h"
#include "tests/projections/aggregates/aggregates_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

// Counts the bytes of the events it handles.
class ByteCount final : public AggregateState {
 public:
  Result<void, FoldFault> reset() override {
    bytes_ = 0;
    return {};
  }
  bool wants(std::string_view type) override { return type == "Added" || type == "Bad"; }
  Result<void, FoldFault> apply(const EventView& event, const ShapedEvent& part) override {
    if (event.type == "Bad") return make_error(Errc::kFailedPrecondition, "too bad");
    bytes_ += part.data.size();
    return {};
  }
  Result<void, FoldFault> append_json(std::string& to) override {
    to += std::to_string(bytes_);
    return {};
  }
  bool save(std::string& to) override {
    to.resize(to.size() + 8);
    store_le(to.data() + to.size() - 8, bytes_);
    return true;
  }
  bool load(std::string_view saved) override {
    if (saved.size() != 8) return false;
    bytes_ = load_le<std::uint64_t>(saved.data());
    return true;
  }

 private:
  std::uint64_t bytes_ = 0;
};

class ByteCounter final : public Aggregate {
 public:
  explicit ByteCounter(std::string fingerprint) : info_{"order", std::move(fingerprint), 100} {}
  const AggregateInfo& info() const override { return info_; }
  ScriptResult<std::unique_ptr<AggregateState>> make_state() const override {
    return std::unique_ptr<AggregateState>(std::make_unique<ByteCount>());
  }

 private:
  AggregateInfo info_;
};

class NativeAggregateTest : public AggregatesTest {};

TEST_F(NativeAggregateTest, TakesPrecedenceOverAScript) {
  without_automatic_snapshots();
  has_aggregate(kSum);
  added("order-1", 3);  // {"cents":1} has 11 bytes
  append("order-1", {"Other"});
  states().aggregates().add(std::make_shared<ByteCounter>("bytes 1"));
  EXPECT_EQ(told("order-1"), "33 after 4, 4 folded behind 0");
  EXPECT_EQ(snapshot("order-1"), 4u);
  added("order-1", 1);
  EXPECT_EQ(told("order-1"), "44 after 5, 1 folded behind 4");
  EXPECT_EQ(states().aggregates().all().size(), 1u);
}

TEST_F(NativeAggregateTest, ANewFingerprintInvalidatesSnapshots) {
  without_automatic_snapshots();
  states().aggregates().add(std::make_shared<ByteCounter>("bytes 1"));
  added("order-1", 3);
  EXPECT_EQ(snapshot("order-1"), 3u);
  states().aggregates().add(std::make_shared<ByteCounter>("bytes 2"));
  EXPECT_EQ(told("order-1"), "33 after 3, 3 folded behind 0");
  EXPECT_EQ(snapshot("order-1"), 3u);
  EXPECT_THAT(snapshots_of("order-1"), ElementsAre(3));
  EXPECT_EQ(told("order-1"), "33 after 3, 0 folded behind 3");
}

TEST_F(NativeAggregateTest, FailuresAreReported) {
  states().aggregates().add(std::make_shared<ByteCounter>("bytes 1"));
  append("order-1", {"Bad"});
  EXPECT_EQ(told("order-1"), "problem: too bad (on Bad, version 1 of 'order-1')");
}

}  // namespace
}  // namespace cairn::test

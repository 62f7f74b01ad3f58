// Readers at the same position of the log share one batch.

#include "projections/generation/batch_source.h"

#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;

class BatchSourceTest : public UpcastersTest {
 protected:
  BatchSource& source() {
    if (source_ == nullptr) {
      source_ = std::make_unique<BatchSource>(store(), shapes(), BatchSource::Limits{.positions_max = 4});
    }
    return *source_;
  }
  static std::vector<std::string> types_of(const EventBatch& batch) {
    std::vector<std::string> types;
    for (const auto& event : batch.events()) types.emplace_back(event.stored.type);
    return types;
  }

  const EventFilter a_ = {{}, {"A"}};
  const EventFilter b_ = {{}, {"B"}};

 private:
  std::unique_ptr<BatchSource> source_;
};

TEST_F(BatchSourceTest, ReadersAtTheSamePositionShareABatch) {
  append("x-1", {"A", "B", "C", "A"});
  BatchSource::Reader first(source()), second(source());
  ASSERT_THAT(second.read({4}, b_), succeeds());  // Both are at position 4, where the log ends.
  ASSERT_THAT(first.read({4}, a_), succeeds());
  append("x-1", {"B", "A", "C"});
  const std::uint64_t before = source().batches_read();
  const auto one = value_of(first.read({4}, a_));
  const auto other = value_of(second.read({4}, b_));
  EXPECT_EQ(one, other);
  EXPECT_EQ(source().batches_read(), before + 1);
  EXPECT_THAT(types_of(*one), ElementsAre("B", "A")) << "what one of them wants, and no more";
  EXPECT_EQ(one->to().value, 7u);
}

TEST_F(BatchSourceTest, AReaderElsewhereGetsItsOwnBatch) {
  append("x-1", {"A", "B", "C", "A", "B", "A"});
  BatchSource::Reader first(source()), second(source());
  const auto one = value_of(first.read({0}, a_));
  const auto other = value_of(second.read({2}, b_));
  EXPECT_THAT(types_of(*one), ElementsAre("A", "A"));
  EXPECT_THAT(types_of(*other), ElementsAre("B"));
  EXPECT_EQ(one->to().value, 4u) << "a batch has its limits";
}

TEST_F(BatchSourceTest, ABatchWithoutAWantedTypeIsNotShared) {
  append("x-1", {"A", "B"});
  BatchSource::Reader first(source()), second(source());
  EXPECT_THAT(types_of(*value_of(first.read({0}, a_))), ElementsAre("A"));
  EXPECT_THAT(types_of(*value_of(second.read({0}, b_))), ElementsAre("A", "B"));
}

TEST_F(BatchSourceTest, ABatchReadAheadIsNotReadAgain) {
  append("x-1", {"A", "A", "A", "A", "A", "A"});
  BatchSource::Reader reader(source());
  const auto first = value_of(reader.read({0}, a_));
  reader.read_ahead(first->to(), a_)();
  const std::uint64_t before = source().batches_read();
  EXPECT_EQ(value_of(reader.read(first->to(), a_))->events().size(), 2u);
  EXPECT_EQ(source().batches_read(), before);
}

TEST_F(BatchSourceTest, TheBatchAtTheHeadIsEmptyUntilAnAppend) {
  append("x-1", {"A"});
  BatchSource::Reader reader(source());
  EXPECT_EQ(value_of(reader.read({1}, a_))->to().value, 1u);
  append("x-1", {"A"});
  EXPECT_EQ(value_of(reader.read({1}, a_))->to().value, 2u);
}

}  // namespace
}  // namespace cairn::test

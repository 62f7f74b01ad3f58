// Shapes in a process that follows a store which another process writes: deployments of that process are
// applied by catch_up(), and nothing is appended here.

#include "tests/upcasters/upcasters_fixture.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/model/fingerprint.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ShapesReaderTest : public UpcastersTest {
 protected:
  ShapesReaderTest() {
    registered("Order", kEuros);
    registered("Order", kCents);
    tried_ = append_as("order-1", "Order", 1, R"({"total":1})").first_position;
  }
  ~ShapesReaderTest() override {
    reader_.reset();
    other_registry_.reset();
  }

  EventShapes& reader() {
    if (reader_ == nullptr) {
      auto registry = SchemaRegistry::open(store());
      EXPECT_THAT(registry, succeeds());
      other_registry_ = *std::move(registry);
      auto opened = EventShapes::open_reader(store(), *other_registry_);
      EXPECT_THAT(opened, succeeds());
      reader_ = *std::move(opened);
    }
    return *reader_;
  }

  void defined(const std::string& source) {
    UpcasterInstalled installed;
    installed.upcaster.header = {"Order", 1, 2, {}};
    installed.upcaster.source = source;
    installed.upcaster.fingerprint = fingerprint_of(installed.upcaster.header, source);
    installed.upcaster.from_schema = registry().version("Order", 1)->id;
    installed.upcaster.to_schema = registry().version("Order", 2)->id;
    installed.verified_through = tried_;
    append_definition_event(to_new_event(installed));
  }
  void withdrawn(const std::string& source) {
    append_definition_event(withdrawn_event({"Order", 1, 2, {}}, source));
  }

  std::vector<std::string> read_by_reader(const std::string& stream) {
    const StreamPage page = value_of(store().read_stream(stream, {}));
    const ShaperPool::Lease shaper = reader().shapers().lease();
    std::vector<std::string> seen;
    for (const EventView& event : page.events) {
      for (std::string& text : shaped(*shaper, event, Shape::latest())) seen.push_back(std::move(text));
    }
    return seen;
  }

 private:
  void append_definition_event(NewEvent event) {
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({std::string(kDefinitionStream), ExpectedVersion::any(), {std::move(event)}});
    ASSERT_THAT(store().append(request), succeeds());
  }

  GlobalPosition tried_;
  std::unique_ptr<SchemaRegistry> other_registry_;
  std::unique_ptr<EventShapes> reader_;
};

TEST_F(ShapesReaderTest, DeploymentsOfTheWriterAreApplied) {
  EXPECT_THAT(read_by_reader("order-1"), ElementsAre(HasSubstr("fault: ")));
  deployed(kEurosToCents);
  const std::uint64_t before = head();
  ASSERT_THAT(reader().catch_up(), succeeds());
  EXPECT_THAT(read_by_reader("order-1"), ElementsAre(R"(Order@2 {"cents":100})"));
  EXPECT_EQ(head(), before);
}

TEST_F(ShapesReaderTest, AVersionIsNeverVisibleWithoutItsUpcaster) {
  reader();
  deployed(kEurosToCents);
  const auto outcome = register_with("Order", kMoney, kCentsToMoney);
  ASSERT_TRUE(outcome) << told(outcome);
  // Without catch_up(): the registry finds the version by itself.
  EXPECT_THAT(read_by_reader("order-1"), ElementsAre(R"(Order@3 {"amount":100,"currency":"EUR"})"));
}

TEST_F(ShapesReaderTest, AWithdrawnUpcasterOfVersion01GivesWayToTheOneBefore) {
  deployed(kEurosToCents);
  reader();
  const std::string other = upcaster("Order", 1, 2, "return { cents = 1 }");
  defined(other);
  ASSERT_THAT(reader().catch_up(), succeeds());
  EXPECT_THAT(read_by_reader("order-1"), ElementsAre(R"(Order@2 {"cents":1})"));
  withdrawn(other);
  ASSERT_THAT(reader().catch_up(), succeeds());
  EXPECT_THAT(read_by_reader("order-1"), ElementsAre(R"(Order@2 {"cents":100})"));
}

}  // namespace
}  // namespace cairn::test

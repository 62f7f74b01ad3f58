// What a start makes of the log: an accepted deployment stays as it is, and what version 0.1 left half
// withdrawn is finished in one append.

#include "tests/upcasters/deploy/deployer_fixture.h"
#include "upcasters/definitions/upcaster_event.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kPicky =
    upcaster("Order", 2, 3, "assert(data.cents > 0, 'odd') return { amount = data.cents, currency = 'EUR' }");

// Orders whose third version came with an upcaster that fails on data below 0.
class RestartTest : public DeployerTest {
 protected:
  void SetUp() override {
    DeployerTest::SetUp();
    deployed(kEurosToCents);
    append_as("order-1", "Order", 2, R"({"cents":5})");
    ASSERT_EQ(told(register_with("Order", kMoney, kPicky)), "deployed, checked 1");
    money_ = registry().version("Order", 3)->id;
  }

  // What version 0.1 appended, each by itself, when the upcaster failed.
  void withdraw_upcaster(const std::string& source = kPicky) {
    append_system(kDefinitionStream, withdrawn_event({"Order", 2, 3, {}}, source));
  }
  void delete_version() { append_system(kSchemaStream, to_new_event(VersionDeleted{"Order", 3})); }
  void remove_version() { append_system(kSchemaStream, to_new_event(VersionPermanentlyDeleted{"Order", 3})); }

  // Opens the registry and the shapes of the next process; returns what it says for the operator's log.
  std::vector<std::string> started() {
    restart();
    std::vector<std::string> said;
    auto schemas = SchemaRegistry::open(store());
    EXPECT_THAT(schemas, succeeds());
    const auto opened = EventShapes::open(store(), **schemas, {},
                                          [&](const LogEvent& line) { said.push_back(line.message); });
    EXPECT_THAT(opened, succeeds());
    return said;
  }

  SchemaId money_;

 private:
  void append_system(std::string_view stream, NewEvent event) {
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({std::string(stream), ExpectedVersion::any(), {std::move(event)}});
    ASSERT_THAT(store().append(request), succeeds());
  }
};

TEST_F(RestartTest, AnEventThatFailsLaterDoesNotUndoAnAcceptedSchema) {
  append_as("order-2", "Order", 3, R"({"amount":7,"currency":"EUR"})");
  append_as("order-odd", "Order", 2, R"({"cents":-1})");  // by a program that runs no upcasters
  const std::uint64_t before = head();
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_EQ(head(), before);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":5,"currency":"EUR"})"));
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@3 {"amount":7,"currency":"EUR"})"));
  EXPECT_THAT(read("order-odd"), ElementsAre(HasSubstr("odd")));
}

TEST_F(RestartTest, AReplacedUpcasterIsNotRunAgain) {
  append_as("order-odd", "Order", 2, R"({"cents":-1})");
  deployed(kCentsToMoney);
  const std::uint64_t before = head();
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_EQ(head(), before);
  EXPECT_THAT(read("order-odd"), ElementsAre(R"(Order@3 {"amount":-1,"currency":"EUR"})"));
}

TEST_F(RestartTest, AVersionLeftWithoutItsUpcasterIsRemovedWhenNoEventIsStoredWithIt) {
  for (const bool deleted : {false, true}) {
    SCOPED_TRACE(deleted);
    if (deleted) {
      ASSERT_EQ(told(register_with("Order", kMoney, kPicky)), "deployed, checked 1");
    }
    withdraw_upcaster();
    if (deleted) delete_version();
    const std::uint64_t before = head();
    EXPECT_THAT(started(), ElementsAre(HasSubstr("Version 3 of Order was left without its upcaster")));
    EXPECT_EQ(head(), before + (deleted ? 1 : 2));
    EXPECT_EQ(registry().version("Order", 3), nullptr);
    EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"cents":5})"));
    EXPECT_THAT(started(), IsEmpty());
  }
}

TEST_F(RestartTest, AVersionLeftWithoutItsUpcasterGetsItBackWhenEventsAreStoredWithIt) {
  append_as("order-2", "Order", 3, R"({"amount":7,"currency":"EUR"})");
  for (const bool deleted : {false, true}) {
    SCOPED_TRACE(deleted);
    withdraw_upcaster();
    if (deleted) delete_version();
    const std::uint64_t before = head();
    EXPECT_THAT(started(), ElementsAre(HasSubstr("its upcaster is back")));
    EXPECT_EQ(head(), before + (deleted ? 3 : 1));
    EXPECT_EQ(registry().version("Order", 3)->id, money_);
    EXPECT_EQ(registry().latest("Order")->id, money_);
    EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":5,"currency":"EUR"})"));
    EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@3 {"amount":7,"currency":"EUR"})"));
    EXPECT_THAT(started(), IsEmpty());
  }
}

TEST_F(RestartTest, ALostVersionRegisteredAgainWithItsUpcasterIsAsItWas) {
  append_as("order-2", "Order", 3, R"({"amount":7,"currency":"EUR"})");
  withdraw_upcaster();
  delete_version();
  remove_version();
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_THAT(read("order-2"), ElementsAre(HasSubstr("fault")));
  EXPECT_EQ(told(register_with("Order", kMoney, kPicky)), "deployed, checked 1");
  EXPECT_EQ(registry().version("Order", 3)->id, money_);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":5,"currency":"EUR"})"));
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@3 {"amount":7,"currency":"EUR"})"));
  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(RestartTest, ALostVersionWhoseUpcasterWasReplacedGetsItsPlaceBetweenTheOthers) {
  append_as("order-2", "Order", 3, R"({"amount":7,"currency":"EUR"})");
  deployed(kCentsToMoney);
  const std::string named = record(R"({"name":"amount","type":"long"},{"name":"unit","type":"string"})");
  ASSERT_EQ(
      told(register_with("Order", named,
                         upcaster("Order", 3, 4, "return { amount = data.amount, unit = data.currency }"))),
      "deployed, checked 2");
  withdraw_upcaster();
  delete_version();
  remove_version();
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_THAT(read("order-2"), ElementsAre(HasSubstr("fault")));
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney)), "unchanged, checked 1");
  EXPECT_EQ(registry().version("Order", 3)->id, money_);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@4 {"amount":5,"unit":"EUR"})"));
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@4 {"amount":7,"unit":"EUR"})"));
  restart();
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@4 {"amount":7,"unit":"EUR"})"));
}

TEST_F(RestartTest, AVersionThatAClientRegistersAgainWithoutAnUpcasterIsLeftAlone) {
  append_as("order-2", "Order", 3, R"({"amount":7,"currency":"EUR"})");
  withdraw_upcaster();
  delete_version();
  remove_version();
  restart();
  ASSERT_TRUE(registry().register_schema({"Order",
                                          {kMoney, {}},
                                          Normalize::kNo,
                                          CheckCompatibility::kNo,
                                          std::nullopt,
                                          std::nullopt,
                                          shapes().upcasters().lost_versions("Order")}));
  EXPECT_EQ(registry().version("Order", 3)->id, money_);
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@3 {"amount":7,"currency":"EUR"})"));
}

}  // namespace
}  // namespace cairn::test

// Requests to the registry with a budget: what ends early is refused, says how far it got, and changes nothing.

#include <string>
#include <vector>

#include "tests/schemaregistry/registry/registry_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RegistryBudgetTest : public RegistryTest {
 protected:
  static constexpr int kVersions = 30;

  void SetUp() override {
    ASSERT_THAT(registry().set_config(
                    "Order", {.compatibility = CompatibilityLevel::kFullTransitive, .normalize = {}}),
                is_taken());
    std::vector<std::string> fields;
    for (int i = 0; i < kVersions; ++i) {
      fields.push_back("f" + std::to_string(i));
      registered("Order", order(fields));
    }
    fields.push_back("next");
    next_ = order(fields);
  }

  RegistryResult<SchemaId> register_with(WorkBudget& budget) {
    return registry().register_schema({.subject = "Order", .schema = {next_, {}}}, &budget);
  }
  RegistryResult<std::vector<std::string>> test_with_all(WorkBudget& budget) {
    return registry().read([&](const RegistryState& state) {
      return test_compatibility(state, "Order", {next_, {}}, Normalize::kNo, &budget);
    });
  }
  RegistryResult<FoundVersion> look_up_with(WorkBudget& budget) {
    return registry().read([&](const RegistryState& state) {
      return look_up(state, "Order", {next_, {}}, Normalize::kYes, Deleted::kLeftOut, &budget);
    });
  }

  std::string next_;
};

TEST_F(RegistryBudgetTest, ARegistrationBeyondItsBudgetRegistersNothing) {
  const std::uint64_t changes = registry().changes();
  WorkBudget check_only;
  ASSERT_THAT(test_with_all(check_only), is_taken());
  for (const std::uint64_t steps : {std::uint64_t{0}, std::uint64_t{10}, check_only.steps() / 2,
                                    check_only.steps() - 1, check_only.steps() + 10}) {
    WorkBudget budget(WorkLimits{.steps = steps});
    EXPECT_THAT(register_with(budget), is_refused(kBudgetExceededCode)) << steps;
  }
  EXPECT_EQ(registry().changes(), changes);
  restart();
  EXPECT_EQ(versions("Order").size(), std::size_t{kVersions});
  WorkBudget enough(WorkLimits{.steps = 10 * check_only.steps()});
  EXPECT_THAT(register_with(enough), is_taken()) << "the same request with more";
  EXPECT_EQ(versions("Order").size(), std::size_t{kVersions} + 1);
}

TEST_F(RegistryBudgetTest, AnEndedCheckSaysHowFarItGot) {
  WorkBudget all;
  EXPECT_THAT(*test_with_all(all), IsEmpty());
  WorkBudget some(WorkLimits{.steps = all.steps() * 2 / 3});
  const auto ended = test_with_all(some);
  ASSERT_THAT(ended, is_refused(kBudgetExceededCode));
  EXPECT_THAT(ended.error().message, ::testing::ContainsRegex("compared with [1-9][0-9]? of 30 versions"));
  WorkBudget little(WorkLimits{.steps = 10});
  const auto parsing = test_with_all(little);
  ASSERT_THAT(parsing, is_refused(kBudgetExceededCode));
  EXPECT_THAT(parsing.error().message, HasSubstr("types of the schema were parsed"));
}

// Each version is printed to be compared with the normalised text.
TEST_F(RegistryBudgetTest, ALookupEndsWithItsBudget) {
  WorkBudget all;
  EXPECT_THAT(look_up_with(all), is_refused(40403));
  WorkBudget some(WorkLimits{.steps = all.steps() * 2 / 3});
  const auto ended = look_up_with(some);
  ASSERT_THAT(ended, is_refused(kBudgetExceededCode));
  EXPECT_THAT(ended.error().message, ::testing::ContainsRegex("compared with [1-9][0-9]? of 30 versions"));
}

TEST_F(RegistryBudgetTest, CancelledWorkIsRefused) {
  WorkBudget budget;
  budget.cancel();
  EXPECT_THAT(register_with(budget), is_refused(kBudgetExceededCode));
  EXPECT_EQ(versions("Order").size(), std::size_t{kVersions});
}

}  // namespace
}  // namespace cairn::test

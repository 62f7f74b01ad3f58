// Comparisons of schemas with a budget: counted in steps, ended early, and otherwise with the same results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schemaregistry/compatibility/compatibility_level.h"
#include "tests/schemaregistry/compatibility/judge.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two schemas by their texts.
struct Texts {
  const char* what;
  std::string reader;
  std::string writer;
};

std::string numbered(const std::string& name, int number) { return name + std::to_string(number); }

// A record with these many fields.
std::string wide_record(int fields, const std::string& type) {
  std::vector<std::string> all;
  for (int i = 0; i < fields; ++i) all.push_back(field(numbered("f", i), type));
  return record("Wide", all);
}

// A record with fields of different enums, all named E.
std::string enums(int count, int symbols, const std::string& prefix) {
  std::vector<std::string> fields;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> quoted;
    for (int s = 0; s < symbols; ++s) quoted.push_back(quote(numbered(prefix, s)));
    fields.push_back(field(numbered("f", i), "{\"type\":\"enum\",\"name\":" + quote(numbered("n", i) + ".E") +
                                                 ",\"symbols\":[" + joined(quoted) + "]}"));
  }
  return record("Enums", fields);
}

std::vector<Texts> texts_to_compare() {
  return {
      {"compatible records", wide_record(300, "long"), wide_record(300, "int")},
      {"a fault in each field", wide_record(300, "int"), wide_record(300, "string")},
      {"a pair for each two types", tangle(20, "a", "int"), tangle(20, "b", "int")},
      {"all of them incompatible", tangle(20, "a", "int"), tangle(20, "b", "string")},
      {"enums without symbols of the writer", enums(20, 50, "A"), enums(20, 50, "B")},
      {"kinds that differ", R"("int")", R"("string")"},
  };
}

// The steps that the comparison takes.
std::uint64_t steps_of(const Schema& reader, const Schema& writer) {
  WorkBudget budget;
  EXPECT_NE(find_incompatibilities(reader, writer, budget), std::nullopt);
  return budget.steps();
}

TEST(CompatibilityBudget, ABudgetEndsAComparisonOrLeavesItsResultAsItIs) {
  for (const Texts& texts : texts_to_compare()) {
    SCOPED_TRACE(texts.what);
    const Schema reader = parsed(texts.reader);
    const Schema writer = parsed(texts.writer);
    const Findings expected = found(find_incompatibilities(reader, writer));
    const std::uint64_t steps = steps_of(reader, writer);
    for (std::uint64_t limit = 0; limit < steps; limit += 1 + steps / 50) {
      WorkBudget budget(WorkLimits{.steps = limit});
      EXPECT_EQ(find_incompatibilities(reader, writer, budget), std::nullopt) << limit << " of " << steps;
      EXPECT_EQ(budget.end(), WorkEnd::kSteps);
    }
    WorkBudget enough(WorkLimits{.steps = steps});
    const auto findings = find_incompatibilities(reader, writer, enough);
    ASSERT_NE(findings, std::nullopt);
    EXPECT_EQ(found(*findings), expected);
  }
}

// Otherwise thousands of versions with large records, each pair expanded at once, take no steps.
TEST(CompatibilityBudget, EachFieldAndEachPairIsAStep) {
  EXPECT_GE(steps_of(parsed(wide_record(5'000, "int")), parsed(wide_record(5'000, "int"))), 5'000u);
  const std::uint64_t twenty = steps_of(parsed(tangle(20, "a", "int")), parsed(tangle(20, "b", "int")));
  const std::uint64_t forty = steps_of(parsed(tangle(40, "a", "int")), parsed(tangle(40, "b", "int")));
  EXPECT_GE(forty, 3 * twenty);
}

// Reasons are collected after the verdict, and take most of the time.
TEST(CompatibilityBudget, ReasonsAreCharged) {
  const Schema reader = parsed(enums(100, 500, "A"));
  const Schema writer = parsed(enums(100, 500, "B"));
  WorkBudget verdict_only;
  EXPECT_FALSE(CompatibilityChecker(&verdict_only).can_read(reader.root(), writer.root()));
  EXPECT_GE(steps_of(reader, writer), verdict_only.steps() + 100u * 500u);
}

TEST(CompatibilityBudget, CancelledWorkEnds) {
  WorkBudget budget;
  budget.cancel();
  EXPECT_EQ(find_incompatibilities(parsed(R"("int")"), parsed(R"("int")"), budget), std::nullopt);
  EXPECT_EQ(budget.end(), WorkEnd::kCancelled);
}

// A subject with many versions at a level.
class LevelBudget : public ::testing::Test {
 protected:
  static constexpr std::size_t kVersions = 40;

  LevelBudget() {
    for (std::size_t i = 0; i < kVersions; ++i) {
      const int number = static_cast<int>(kVersions - i);
      versions_.push_back({number, &old_, "the text"});
    }
  }
  auto check(CompatibilityLevel level, WorkBudget& budget) {
    return check_level(level, candidate_, versions_, budget);
  }

  const Schema old_ = parsed(wide_record(100, "int"));
  const Schema candidate_ = parsed(wide_record(100, "long"));
  std::vector<LiveVersion> versions_;
};

TEST_F(LevelBudget, AnEndedCheckSaysWithHowManyVersionsItCompared) {
  WorkBudget all;
  EXPECT_THAT(*check(CompatibilityLevel::kBackwardTransitive, all), IsEmpty());
  for (const std::uint64_t compared : {0, 1, 12, 39}) {
    // A version and a half.
    WorkBudget some(WorkLimits{.steps = all.steps() * (2 * compared + 1) / (2 * kVersions)});
    const auto ended = check(CompatibilityLevel::kBackwardTransitive, some);
    ASSERT_THAT(ended, fails_with(Errc::kBudgetExceeded));
    EXPECT_THAT(ended.error().message,
                HasSubstr("compared with " + std::to_string(compared) + " of 40 versions"));
  }
}

TEST_F(LevelBudget, EachVersionCostsAndOnlyThoseThatTheLevelAsksFor) {
  WorkBudget one;
  WorkBudget transitive;
  WorkBudget none(WorkLimits{.steps = 0});
  EXPECT_THAT(check(CompatibilityLevel::kBackward, one), succeeds());
  EXPECT_THAT(check(CompatibilityLevel::kBackwardTransitive, transitive), succeeds());
  EXPECT_EQ(transitive.steps(), kVersions * one.steps());
  EXPECT_THAT(check(CompatibilityLevel::kNone, none), succeeds());
}

// A check that has ended in the second direction does not pass for one that found nothing.
TEST_F(LevelBudget, NoVersionCountsAsComparedInOneDirection) {
  WorkBudget both;
  EXPECT_THAT(*check(CompatibilityLevel::kFull, both), Not(IsEmpty()))
      << "the old version cannot read a long";
  WorkBudget less(WorkLimits{.steps = both.steps() - 1});
  const auto ended = check(CompatibilityLevel::kFull, less);
  ASSERT_THAT(ended, fails_with(Errc::kBudgetExceeded));
  EXPECT_THAT(ended.error().message, HasSubstr("compared with 0 of 1 versions"));
}

}  // namespace
}  // namespace cairn::test

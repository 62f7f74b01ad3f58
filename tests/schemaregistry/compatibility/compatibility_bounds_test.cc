#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/schemaregistry/compatibility/judge.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::chrono::seconds kQuick{
    10};  // Nothing here should take a tenth of it; without bounds it is hours.

class CompatibilityBounds : public ::testing::Test {
 protected:
  ~CompatibilityBounds() override {
    EXPECT_LT(std::chrono::steady_clock::now() - begun_, kQuick * static_cast<int>(kSanitizerDivisor));
  }

  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

Findings findings(const std::string& reader, const std::string& writer) {
  const Schema r = parsed(reader);
  const Schema w = parsed(writer);
  return found(find_incompatibilities(r, w));
}

// R0 with a field of the type `last`, R1 with a field of the type R0, …: a union of them all.
std::string chain(int length, const std::string& last) {
  std::vector<std::string> records;
  for (int i = 0; i < length; ++i) {
    const std::string type = i == 0 ? last : "R" + std::to_string(i - 1);
    records.push_back(record("R" + std::to_string(i), {field("f", type)}));
  }
  return union_of(records);
}

// One record whose fields lead to the next through a union twice; without a memo 2^depth comparisons.
std::string doubling(int depth, const std::string& last) {
  std::vector<std::string> records{record("D0", {field("v", last)})};
  for (int i = 1; i <= depth; ++i) {
    const std::string inner = maybe("D" + std::to_string(i - 1));
    records.push_back(record("D" + std::to_string(i), {field("a", inner), field("b", inner)}));
  }
  return union_of(records);
}

TEST_F(CompatibilityBounds, LongChainsOfNamedTypes) {
  const std::string ints = chain(5000, "int");
  EXPECT_THAT(findings(ints, ints), IsEmpty());
  EXPECT_THAT(findings(chain(5000, "long"), ints), IsEmpty());
  EXPECT_EQ(findings(ints, chain(5000, "long")).size(), 1000u)
      << "every branch fails, and that is enough of them";
}

TEST_F(CompatibilityBounds, ADifferenceFarDownIsStillFound) {
  const auto outermost = [](const Schema& schema) -> const SchemaNode& {
    return *schema.root().branches.back();
  };
  const Schema reader = parsed(chain(5000, "int"));
  const Schema writer = parsed(chain(5000, "long"));
  const Schema same = parsed(chain(5000, "int"));
  CompatibilityChecker checker;
  EXPECT_FALSE(checker.can_read(outermost(reader), outermost(writer)));
  EXPECT_TRUE(checker.can_read(outermost(reader), outermost(same)));
  const auto found_there = checker.check(outermost(reader), outermost(writer));
  ASSERT_EQ(found_there.size(), 1u);
  EXPECT_EQ(found_there[0].kind, IncompatibilityKind::kTooComplex) << "too far to say where";
  EXPECT_THAT(found_there[0].path, StartsWith("/fields/0/type/fields/0/type/"));
  EXPECT_LT(found_there[0].path.size(), 10'000u);
}

TEST_F(CompatibilityBounds, DepthIsCountedInTypes) {
  const auto outermost = [](const Schema& schema) -> const SchemaNode& {
    return *schema.root().branches.back();
  };
  const Schema reader = parsed(chain(500, "int"));
  const Schema writer = parsed(chain(500, "string"));
  const auto told = CompatibilityChecker().check(outermost(reader), outermost(writer));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, IncompatibilityKind::kTypeMismatch);
}

TEST_F(CompatibilityBounds, NestedUnionsOfRecords) {
  const std::string ints = doubling(200, "int");
  EXPECT_THAT(findings(ints, ints), IsEmpty());
  EXPECT_THAT(findings(doubling(200, "long"), ints), IsEmpty());
  EXPECT_EQ(findings(ints, doubling(200, "long")).size(), 201u);
}

TEST_F(CompatibilityBounds, TwoRingsOfDifferentPeriods) {
  const auto ring = [](int length, const std::string& last) {
    std::string inner = "n0.Node";
    for (int i = length - 1; i >= 0; --i) {
      inner = record("n" + std::to_string(i) + ".Node",
                     {field("v", i == length - 1 ? last : "int"), field("n", inner)});
    }
    return inner;
  };
  EXPECT_THAT(findings(ring(23, "int"), ring(19, "int")), IsEmpty());
  EXPECT_THAT(findings(ring(23, "long"), ring(19, "int")), IsEmpty());
  const Findings wrong = findings(ring(23, "int"), ring(19, "long"));
  EXPECT_EQ(wrong.size(), 23u) << "each of the reader's types meets the one that was changed";
  EXPECT_THAT(wrong, ::testing::Each(StartsWith("TYPE_MISMATCH /fields/")));
}

TEST_F(CompatibilityBounds, ManyTypesOfOneName) {
  EXPECT_THAT(findings(tangle(60, "a", "int"), tangle(60, "b", "int")), IsEmpty());
  EXPECT_THAT(findings(tangle(60, "a", "int"), tangle(60, "b", "string")), ::testing::SizeIs(60));
}

TEST_F(CompatibilityBounds, TooMuchWorkIsReportedAsTooComplex) {
  const Findings told = findings(tangle(400, "a", "int"), tangle(400, "b", "int"));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], StartsWith("TOO_COMPLEX /"));
  const Schema reader = parsed(tangle(400, "a", "int"));
  const Schema writer = parsed(tangle(400, "b", "int"));
  CompatibilityChecker checker;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(checker.can_read(reader.root(), writer.root()))
        << "asking again neither helps nor takes long";
  }
}

TEST_F(CompatibilityBounds, UnionsOfManyRecords) {
  std::vector<std::string> records;
  for (int i = 0; i < 5000; ++i) records.push_back(record("T" + std::to_string(i), {field("x", "int")}));
  const std::string forth = union_of(records);
  std::reverse(records.begin(), records.end());
  EXPECT_THAT(findings(forth, union_of(records)), IsEmpty());
}

// More branches than are searched one by one.
TEST_F(CompatibilityBounds, ALargeUnionIsSearchedByNamesAndAliases) {
  std::vector<std::string> records;
  for (int i = 0; i < 30; ++i) records.push_back(record("a.T" + std::to_string(i), {}));
  records.push_back(aka(record("a.New", {}), {"b.Old", "Older"}));
  const std::string reader = union_of(records);
  for (const char* readable : {"a.T7", "b.T7", "T7", "c.New", "b.Old", "a.Older"}) {
    EXPECT_THAT(findings(reader, record(readable, {})), IsEmpty()) << readable;
  }
  for (const char* other : {"a.Old", "Old", "b.Older", "Older", "T30"}) {
    EXPECT_THAT(findings(reader, record(other, {})),
                ::testing::ElementsAre(StartsWith("MISSING_UNION_BRANCH /")))
        << other;
  }
  EXPECT_THAT(findings(reader, enum_of("a.T7", {"S"})), ::testing::SizeIs(1)) << "another kind";
}

// 60 KB of namespace in each of a thousand messages.
TEST_F(CompatibilityBounds, TheTextOfTheReasonsIsBounded) {
  std::vector<std::string> old_fields;
  std::vector<std::string> new_fields;
  for (int i = 0; i < 900; ++i) {
    const std::string number = std::to_string(i);
    old_fields.push_back(field("f" + number, record("Old" + number, {})));
    new_fields.push_back(field("f" + number, record("New" + number, {})));
  }
  const std::string writer = with(record("R", old_fields), "namespace", quote(std::string(60'000, 'n')));
  const Findings told = findings(record("R", new_fields), writer);
  std::size_t bytes = 0;
  for (const std::string& one : told) bytes += one.size();
  EXPECT_LT(bytes, 17u << 20);
  ASSERT_GT(told.size(), 100u);
  EXPECT_THAT(told.back(), StartsWith("TOO_COMPLEX /"));
}

// Finding what is missing does not search the large enum again for each of the others.
TEST_F(CompatibilityBounds, OneLargeEnumWithManyOthers) {
  std::string symbols = "\"S\"";
  for (int i = 0; i < 50'000; ++i) symbols += ",\"S" + std::to_string(i) + "\"";
  std::vector<std::string> reads{field("f", R"({"type":"enum","name":"E","symbols":[)" + symbols + "]}")};
  std::vector<std::string> writes{field("f", enum_of("n.E", {"X"}))};
  for (int i = 0; i < 900; ++i) {
    reads.push_back(field("f" + std::to_string(i), "E"));
    writes.push_back(field("f" + std::to_string(i), enum_of("n" + std::to_string(i) + ".E", {"X"})));
  }
  EXPECT_THAT(findings(record("R", reads), record("R", writes)),
              ::testing::AllOf(::testing::SizeIs(901),
                               ::testing::Each(::testing::HasSubstr("MISSING_ENUM_SYMBOLS"))));
}

TEST_F(CompatibilityBounds, LargeEnums) {
  const auto symbols = [](int from, int to) {
    std::string text = R"({"type":"enum","name":"E","symbols":[)";
    for (int i = from; i < to; ++i) text += (i > from ? ",\"S" : "\"S") + std::to_string(i) + "\"";
    return text + "]}";
  };
  EXPECT_THAT(findings(symbols(0, 50'000), symbols(1, 50'000)), IsEmpty());
  EXPECT_EQ(findings(symbols(1, 50'000), symbols(0, 50'000)),
            (Findings{"MISSING_ENUM_SYMBOLS /symbols: [S0]"}));
}

std::string wide(bool is_reversed, const std::string& type) {
  std::vector<std::string> fields;
  for (int i = 0; i < 200; ++i) fields.push_back(field("field_" + std::to_string(i), type));
  if (is_reversed) std::reverse(fields.begin(), fields.end());
  return record("Wide", fields);
}

std::chrono::nanoseconds best_time(const Schema& reader, const Schema& writer) {
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 50; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_TRUE(find_incompatibilities(reader, writer).empty());
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begun);
  }
  return best;
}

TEST_F(CompatibilityBounds, TwoHundredFieldsTakeLessThanAMillisecond) {
  const std::chrono::nanoseconds limit = std::chrono::milliseconds(1) * static_cast<int>(kSanitizerDivisor);
  const Schema wanted = parsed(wide(false, "long"));
  EXPECT_LT(best_time(wanted, parsed(wide(false, "int"))), limit);
  EXPECT_LT(best_time(wanted, parsed(wide(true, "int"))), limit) << "in another order";
  const Schema nullable = parsed(wide(false, maybe("string")));
  EXPECT_LT(best_time(nullable, parsed(wide(true, maybe("string")))), limit) << "with unions";
}

}  // namespace
}  // namespace cairn::test

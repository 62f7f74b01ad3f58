#include "schemaregistry/compatibility/compatibility_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using enum CompatibilityLevel;

constexpr CompatibilityLevel kAll[] = {
    kNone, kBackward, kBackwardTransitive, kForward, kForwardTransitive, kFull, kFullTransitive};

// A subject with versions from 1 on, the oldest first.
class Subject {
 public:
  explicit Subject(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) schemas_.push_back(parsed(text));
    for (std::size_t i = texts_.size(); i-- > 0;) {
      newest_first_.push_back({static_cast<int>(i) + 1, &schemas_[i], texts_[i]});
    }
  }

  std::vector<std::string> refuses(const std::string& candidate, CompatibilityLevel level) const {
    return check_level(level, parsed(candidate), newest_first_);
  }

  // Which levels would take it.
  std::vector<CompatibilityLevel> taken_by(const std::string& candidate) const {
    std::vector<CompatibilityLevel> levels;
    for (const CompatibilityLevel level : kAll) {
      if (refuses(candidate, level).empty()) levels.push_back(level);
    }
    return levels;
  }

 private:
  std::vector<std::string> texts_;
  std::deque<Schema> schemas_;
  std::vector<LiveVersion> newest_first_;
};

const std::string kX = record("R", {field("x", "int")});
const std::string kXandY = record("R", {field("x", "int"), field("y", "int")});
const std::string kXandYdefault = record("R", {field("x", "int"), field("y", "int", "0")});

TEST(CompatibilityLevel, Names) {
  for (const CompatibilityLevel level : kAll) EXPECT_EQ(parse_compatibility_level(to_string(level)), level);
  EXPECT_EQ(to_string(kBackwardTransitive), "BACKWARD_TRANSITIVE");
  EXPECT_EQ(parse_compatibility_level("full_transitive"), kFullTransitive);
  EXPECT_EQ(parse_compatibility_level("Forward"), kForward);
  for (const char* other : {"", "FULLY", "BACK", "BACKWARD ", "backward-transitive", "none\n"}) {
    EXPECT_EQ(parse_compatibility_level(other), std::nullopt) << other;
  }
}

TEST(CompatibilityLevel, AnyFirstVersionIsCompatible) {
  EXPECT_THAT(Subject({}).taken_by(kX), ::testing::ElementsAreArray(kAll));
}

TEST(CompatibilityLevel, AgainstOneVersion) {
  EXPECT_THAT(Subject({kX}).taken_by(kX), ::testing::ElementsAreArray(kAll));
  EXPECT_THAT(Subject({kX}).taken_by(kXandYdefault), ::testing::ElementsAreArray(kAll));
  EXPECT_THAT(Subject({kX}).taken_by(kXandY), ElementsAre(kNone, kForward, kForwardTransitive))
      << "the old one reads it, it does not read the old one";
  EXPECT_THAT(Subject({kXandY}).taken_by(kX), ElementsAre(kNone, kBackward, kBackwardTransitive));
  EXPECT_THAT(Subject({kX}).taken_by(quote("string")), ElementsAre(kNone));
}

TEST(CompatibilityLevel, OnlyTransitiveLevelsCompareEveryVersion) {
  // Each goes with the one before it; the third cannot read the first, which wrote no y.
  EXPECT_THAT(Subject({kX, kXandYdefault}).taken_by(kXandY),
              ElementsAre(kNone, kBackward, kForward, kForwardTransitive, kFull));
  // The first asks for a y that the third does not write.
  EXPECT_THAT(Subject({kXandY, kXandYdefault}).taken_by(kX),
              ElementsAre(kNone, kBackward, kBackwardTransitive, kForward, kFull));
}

TEST(CompatibilityLevel, TheNewestIncompatibleVersionIsReported) {
  const auto messages = Subject({kX, kX, kXandYdefault}).refuses(kXandY, kBackwardTransitive);
  EXPECT_THAT(messages, ElementsAre(HasSubstr("READER_FIELD_MISSING_DEFAULT_VALUE"), "{oldSchemaVersion: 2}",
                                    "{oldSchema: '" + kX + "'}",
                                    "{validateFields: 'false', compatibility: 'BACKWARD_TRANSITIVE'}"));
}

TEST(CompatibilityLevel, MessagesNameNewAndOldByDirection) {
  EXPECT_THAT(
      Subject({kX}).refuses(kXandY, kBackward),
      ElementsAre("{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'y' at path "
                  "'/fields/1' in the new schema has no default value and is missing in the old schema', "
                  "additionalInfo:'y'}",
                  "{oldSchemaVersion: 1}", "{oldSchema: '" + kX + "'}",
                  "{validateFields: 'false', compatibility: 'BACKWARD'}"));
  EXPECT_THAT(
      Subject({kXandY}).refuses(kX, kForward),
      ElementsAre("{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'y' at path "
                  "'/fields/1' in the old schema has no default value and is missing in the new schema', "
                  "additionalInfo:'y'}",
                  "{oldSchemaVersion: 1}", "{oldSchema: '" + kXandY + "'}",
                  "{validateFields: 'false', compatibility: 'FORWARD'}"));
}

TEST(CompatibilityLevel, FullReportsBothDirections) {
  EXPECT_THAT(
      Subject({record("R", {field("x", "int")})}).refuses(record("R", {field("y", "int")}), kFull),
      ElementsAre(HasSubstr("The field 'x' at path '/fields/0' in the old schema"),
                  HasSubstr("The field 'y' at path '/fields/0' in the new schema"), "{oldSchemaVersion: 1}",
                  StartsWith("{oldSchema: "), "{validateFields: 'false', compatibility: 'FULL'}"));
}

TEST(CompatibilityLevel, ALongOldSchemaIsCutBetweenCharacters) {
  const std::string before = R"({"type":"record","name":"R","fields":[],"doc":")";
  const std::string padding(kOldSchemaBytesMax - before.size() - 1, 'a');
  const std::string text = before + padding + "\xC3\xBC" + "zzz\"}";  // The limit falls into the ü.
  const auto messages = Subject({text}).refuses(quote("int"), kBackward);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[2], "{oldSchema: <truncated to 10240 characters> '" + before + padding + "'}");
}

TEST(CompatibilityLevel, NoneComparesNothing) {
  EXPECT_THAT(Subject({kX}).refuses(quote("int"), kNone), IsEmpty());
}

}  // namespace
}  // namespace cairn::test

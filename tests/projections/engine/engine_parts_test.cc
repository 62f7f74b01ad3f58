#include "projections/engine/engine_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EnginePartsTest : public ::testing::Test {
 protected:
  EnginePart part(const std::string& name) {
    return {name,
            [this, name]() -> Status {
              log_.push_back("start " + name);
              return {};
            },
            [this, name] { log_.push_back("stop " + name); }};
  }
  EnginePart broken(const std::string& name) {
    EnginePart broken = part(name);
    broken.start = [] { return Status(make_error(Errc::kIo, "no memory")); };
    return broken;
  }

  std::vector<std::string> log_;
};

TEST_F(EnginePartsTest, StartInOrderAndStopInReverse) {
  {
    EngineParts parts;
    parts.add(part("a"));
    parts.add({.name = "silent", .start = {}, .stop = {}});
    parts.add(part("b"));
    EXPECT_TRUE(log_.empty());
    ASSERT_THAT(parts.start(), succeeds());
  }
  EXPECT_THAT(log_, ElementsAre("start a", "start b", "stop b", "stop a"));
}

TEST_F(EnginePartsTest, StopTwiceStopsOnce) {
  EngineParts parts;
  parts.add(part("a"));
  ASSERT_THAT(parts.start(), succeeds());
  parts.stop();
  parts.stop();
  EXPECT_THAT(log_, ElementsAre("start a", "stop a"));
}

TEST_F(EnginePartsTest, WhatNeverStartedIsNotStopped) {
  EngineParts parts;
  parts.add(part("a"));
  parts.stop();
  EXPECT_TRUE(log_.empty());
}

TEST_F(EnginePartsTest, AFailedStartStopsThePartsBeforeIt) {
  EngineParts parts;
  parts.add(part("a"));
  parts.add(broken("b"));
  parts.add(part("c"));
  const Status started = parts.start();
  ASSERT_THAT(started, fails_with(Errc::kIo));
  EXPECT_THAT(started.error().message, HasSubstr("b: no memory"));
  EXPECT_THAT(log_, ElementsAre("start a", "stop a"));
}

TEST_F(EnginePartsTest, APartThatJoinsTooLateIsAMistake) {
  EngineParts parts;
  parts.add(part("a"));
  ASSERT_THAT(parts.start(), succeeds());
  EXPECT_DEATH(parts.add(part("late")), "late");
}

}  // namespace
}  // namespace cairn::test

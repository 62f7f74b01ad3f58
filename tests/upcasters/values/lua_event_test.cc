#include "upcasters/values/lua_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/upcasters/lua/lua_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTooLate = "an event can only be asked during the call it was given to";

class LuaEventTest : public ::testing::Test {
 protected:
  LuaEventTest() {
    event_.position = {7};
    event_.version = {3};
    event_.stream = "order-42";
    event_.type = "OrderPlaced";
    event_.id = *Uuid::parse("0190b2a4-7c5e-7d3a-8b1f-0123456789ab");
    event_.recorded_at = {1'700'000'000'123'456};
    event_.metadata = R"({"user":"ann","roles":[]})";
    event_.tags = tags_;
  }

  // Inside run(): pushes the event's table with data of {total=5}.
  void push(lua_State* state) {
    LuaBench::push(state, "return {total=5}");
    lua_event_->push(event_, "OrderPlaced2", -1);
    lua_remove(state, -2);
  }

  bool holds(const std::string& expression) {
    bool is_true = false;
    bench_.run([&](lua_State* state) {
      const int top = lua_gettop(state);
      push(state);
      EXPECT_EQ(lua_gettop(state), top + 1);
      is_true = LuaBench::holds(state, expression);
      lua_event_->forget();
    });
    return is_true;
  }

  LuaBench bench_;
  std::unique_ptr<LuaEvent> lua_event_ = std::make_unique<LuaEvent>(bench_.host());
  std::vector<std::string_view> tags_ = {"red", "blue"};
  EventView event_;
};

TEST_F(LuaEventTest, AnEventHasItsMembers) {
  EXPECT_TRUE(holds("v.position == 7 and math.type(v.position) == 'integer'"));
  EXPECT_TRUE(holds("v.version == 3"));
  EXPECT_TRUE(holds("v.stream == 'order-42'"));
  EXPECT_TRUE(holds("v.category == 'order'"));
  EXPECT_TRUE(holds("v.type == 'OrderPlaced2'")) << "what it is by now";
  EXPECT_TRUE(holds("v.id == '0190b2a4-7c5e-7d3a-8b1f-0123456789ab'"));
  EXPECT_TRUE(holds("v.recorded_at == 1700000000123456 and math.type(v.recorded_at) == 'integer'"));
  EXPECT_TRUE(holds("v.metadata.user == 'ann' and #v.metadata.roles == 0"));
  EXPECT_TRUE(holds("#v.tags == 2 and v.tags[1] == 'red' and v.tags[2] == 'blue'"));
  EXPECT_TRUE(holds("v.data.total == 5"));
  EXPECT_TRUE(holds("v.other == nil and v[1] == nil and v[true] == nil"));
}

TEST_F(LuaEventTest, WhatIsNotKnownBeforeTheAppendIsNil) {
  event_.position = {};
  EXPECT_TRUE(holds("v.position == nil and v.version == nil and v.recorded_at == nil"));
  EXPECT_TRUE(holds("v.id == '0190b2a4-7c5e-7d3a-8b1f-0123456789ab' and v.stream == 'order-42'"));
  event_.id = {};
  EXPECT_TRUE(holds("v.id == nil"));
}

TEST_F(LuaEventTest, MetadataIsATableEvenWithoutAny) {
  event_.metadata = "";
  event_.tags = {};
  EXPECT_TRUE(holds("next(v.metadata) == nil and #v.tags == 0"));
}

TEST_F(LuaEventTest, AMemberIsMadeOnce) {
  EXPECT_TRUE(holds("v.metadata == v.metadata and v.tags == v.tags and v.data == v.data"));
}

TEST_F(LuaEventTest, PairsGivesAllMembersInOrder) {
  bench_.run([&](lua_State* state) {
    push(state);
    LuaBench::push(state,
                   "local names = {} for name, value in pairs(...) do names[#names + 1] = name "
                   "assert(value ~= nil) end return table.concat(names, ' ')",
                   1);
    EXPECT_STREQ(lua_tostring(state, -1),
                 "category data id metadata position recorded_at stream tags type version");
  });
}

TEST_F(LuaEventTest, AnIteratorVisitsItsOwnEvent) {
  for (const char* arguments : {"", "1", "'text'", "nil, 'nothing'", "{category=1}", "null", "pairs"}) {
    bench_.run([&](lua_State* state) {
      push(state);
      LuaBench::push(state,
                     "local f = pairs(...); local k, v = f(" + std::string(arguments) +
                         "); return tostring(k) .. ' ' .. tostring(v)",
                     1);
      EXPECT_STREQ(lua_tostring(state, -1),
                   std::string_view(arguments).find("nothing") == std::string_view::npos ? "category order"
                                                                                         : "nil nil")
          << arguments;
    });
  }
}

TEST_F(LuaEventTest, AForgottenEventHasOnlyTheMembersThatWereRead) {
  const std::string message = bench_.error_of([&](lua_State* state) {
    push(state);
    EXPECT_TRUE(LuaBench::holds(state, "v.stream == 'order-42'"));
    lua_event_->forget();
    EXPECT_TRUE(LuaBench::holds(state, "v.stream == 'order-42' and v.data.total == 5"));
    LuaBench::holds(state, "v.type == 'x'");
    ADD_FAILURE() << "that was an error";
  });
  EXPECT_THAT(message, HasSubstr(kTooLate));
}

TEST_F(LuaEventTest, AnEarlierEventCannotBeAskedAboutALaterOne) {
  for (const char* question : {"v.type == 'x'", "pairs(v)"}) {
    const std::string message = bench_.error_of([&](lua_State* state) {
      push(state);
      push(state);
      EXPECT_TRUE(LuaBench::holds(state, "v.type == 'OrderPlaced2'"));
      lua_pop(state, 1);
      LuaBench::holds(state, question);
      ADD_FAILURE() << "that was an error";
    });
    EXPECT_THAT(message, HasSubstr(kTooLate)) << question;
  }
}

TEST_F(LuaEventTest, AScriptMayKeepATableForLongerThanTheEventLives) {
  const std::string message = bench_.error_of([&](lua_State* state) {
    push(state);
    lua_event_.reset();
    LuaBench::holds(state, "v.type == 'x'");
    ADD_FAILURE() << "that was an error";
  });
  EXPECT_THAT(message, HasSubstr(kTooLate));
}

}  // namespace
}  // namespace cairn::test

// The members of a projection script, and the errors for wrong ones.

#include "projections/script/projection_script.h"

#include <gmock/gmock.h>

namespace cairn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kOn = "on = { A = function(row, event) end, B = function(row, event) end }";

std::string told(const std::string& source) {
  const auto loaded = ProjectionScript::load(source, "test.lua");
  return loaded ? "loaded" : loaded.error().text();
}
std::string with(const std::string& members) { return told("return projection {" + members + "}"); }
std::string with_from(const std::string& from) { return with("from = " + from + ",\n" + kOn); }

ProjectionHeader header_of(const std::string& members) {
  auto loaded = ProjectionScript::load("return projection {" + members + "}", "test.lua");
  if (!loaded) {
    ADD_FAILURE() << loaded.error().text();
    return {};
  }
  return loaded->header();
}

TEST(ProjectionScriptTest, DeclaresCategoriesAndTypes) {
  const auto all = header_of(kOn);
  EXPECT_THAT(all.categories, IsEmpty());
  EXPECT_THAT(all.types, ElementsAre("A", "B"));
  EXPECT_FALSE(all.has_key);
  EXPECT_THAT(header_of("from = 'all', " + std::string(kOn)).categories, IsEmpty());
  EXPECT_THAT(header_of("from = {}, " + std::string(kOn)).categories, IsEmpty());
  const auto some = header_of(
      "from = { categories = { 'order', 'cart', 'order' }, types = { 'B', 'A' } },"
      " key = function(event) return 'x' end, " +
      std::string(kOn));
  EXPECT_THAT(some.categories, ElementsAre("order", "cart"));
  EXPECT_THAT(some.types, ElementsAre("A", "B"));
  EXPECT_TRUE(some.has_key);
}

TEST(ProjectionScriptTest, OtherScriptsAreRefused) {
  EXPECT_EQ(told("return {}"), "test.lua: it does not end with: return projection { … }");
  EXPECT_EQ(told("return aggregate {}"), "test.lua: it returns aggregate { … }, not projection { … }");
  EXPECT_THAT(told("return projection {\n  on = \n}"), StartsWith("test.lua:3: "));
  EXPECT_EQ(told("return projection {\n  on = nobody.knows }"),
            "test.lua:2: attempt to index a nil value (global 'nobody')");
  EXPECT_THAT(told("\nwhile true do end"), StartsWith("test.lua:2: took more than"));
}

TEST(ProjectionScriptTest, HandlersAreFunctionsByType) {
  EXPECT_THAT(with(""), HasSubstr("'on' must be a table, as in on = { OrderPlaced = function(row, event)"));
  EXPECT_THAT(with("on = 3"), HasSubstr("'on' must be a table"));
  EXPECT_EQ(with("on = {}"), "test.lua: 'on' must have a function for at least one type of event");
  EXPECT_THAT(with("on = { A = 3 }"), HasSubstr("'on.A' must be a function, as in A = function(row, event)"));
  EXPECT_THAT(with("on = { A = tostring }"), HasSubstr("'on.A' must be a function"));
  EXPECT_THAT(with("on = { function() end }"), HasSubstr("it has the key 1"));
  EXPECT_EQ(with("on = {\n['a\\nb'] = function() end }"),
            "test.lua:2: 'on' has \"a\\nb\", which cannot be the name of an event type");
}

TEST(ProjectionScriptTest, KeyIsAFunction) {
  EXPECT_EQ(
      with("key = 'x', " + std::string(kOn)),
      "test.lua: 'key' must be a function, as in key = function(event) return event.data.customer_id end");
  EXPECT_THAT(with("key = tostring, " + std::string(kOn)), HasSubstr("'key' must be a function"));
}

TEST(ProjectionScriptTest, CategoriesAreNamesOfCategories) {
  for (const char* wrong : {"''", "'a-b'", "'$schemas'", "'a\\nb'", "7", "null"}) {
    EXPECT_THAT(with_from("{ categories = { 'order', " + std::string(wrong) + "} }"),
                HasSubstr("'from.categories' must be a list of names of categories"))
        << wrong;
  }
  for (const char* wrong : {"{}", "'order'", "{ order = true }", "{ 'order', x = 1 }"}) {
    EXPECT_THAT(with_from("{ categories = " + std::string(wrong) + "}"),
                HasSubstr("'from.categories' must be a list"))
        << wrong;
  }
}

TEST(ProjectionScriptTest, TypesMustMatchTheHandlers) {
  EXPECT_EQ(with_from("{ types = { 'A', 'B', 'C' } }"),
            "test.lua: 'from.types' has 'C', for which there is no function in 'on'");
  EXPECT_EQ(with_from("{ types = { 'A' } }"),
            "test.lua:2: 'on.B' is never called: 'from.types' does not have 'B'");
  EXPECT_THAT(with_from("{ types = {} }"), HasSubstr("'from.types' must be a list of names of event types"));
  EXPECT_THAT(with_from("{ types = { 7 } }"),
              HasSubstr("'from.types' must be a list of names of event types; it has 7"));
}

TEST(ProjectionScriptTest, UnknownMembersAreReportedByName) {
  EXPECT_EQ(with("keys = 1, " + std::string(kOn)),
            "test.lua: 'keys' is no member of a projection, which has from, key and on");
  EXPECT_THAT(with("1, " + std::string(kOn)), HasSubstr("is no member of a projection"));
  EXPECT_EQ(with_from("{ category = 'order' }"),
            "test.lua: 'category' is no member of 'from', which has categories and types");
  EXPECT_THAT(with_from("'some'"), HasSubstr("'from' must be \"all\" or a table"));
  EXPECT_THAT(with_from("7"), HasSubstr("'from' must be \"all\" or a table"));
}

}  // namespace
}  // namespace cairn

// A script that misbehaves in one call, or on one row, damages no other row and no later call.

#include "tests/projections/script/script_projection_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A handler that counts, and runs `body` first when the event has the member "bad".
class HostileProjectionTest : public ScriptProjectionTest {
 protected:
  // The error of apply(), or else the result of save(). Checks that no other row and no later call is
  // affected.
  std::string outcome(const std::string& body, const std::string& before = "") {
    use(before + "return projection { on = { Added = function(row, event) if event.data.bad then\n" + body +
        "\nend row.n = (row.n or 0) + 1 end } }");
    EXPECT_EQ(apply(0, "{}"), "");
    EXPECT_EQ(apply(1, "{}"), "");
    const std::string before_bytes = saved(1);
    std::string told = apply(1, R"({"bad":true})");
    if (told.empty()) told = row(1);
    EXPECT_EQ(row(0), R"({"n":1})") << body;
    EXPECT_EQ(apply(0, "{}"), "") << body;
    EXPECT_EQ(row(0), R"({"n":2})") << body;
    EXPECT_TRUE(rows().load(1, before_bytes));
    EXPECT_EQ(apply(1, "{}"), "") << body;
    EXPECT_EQ(row(1), R"({"n":2})") << body;
    return told;
  }
};

TEST_F(HostileProjectionTest, ErrorsNameTheirLine) {
  EXPECT_EQ(outcome("row.n = nil\nerror('no')"), "test.lua:3: no");
  EXPECT_EQ(outcome("\nlocal x = event.data.nothing.there"),
            "test.lua:3: attempt to index a nil value (field 'nothing')");
  EXPECT_EQ(outcome("a_global = 1").substr(0, 11), "test.lua:2:");
  EXPECT_THAT(outcome("error({})"), StartsWith("test.lua:2: an error that is a table"));
}

TEST_F(HostileProjectionTest, LimitsEndACall) {
  EXPECT_THAT(outcome("while true do end"), StartsWith("test.lua:2: took more than"));
  EXPECT_THAT(outcome("while true do pcall(function() while true do end end) end"),
              StartsWith("test.lua:2: took more than"));
  EXPECT_THAT(outcome("local function f() return pcall(f) or f() end f()"), StartsWith("test.lua:2: "));
  EXPECT_THAT(outcome("local function f() return 1 + f() end f()"), HasSubstr("stack overflow"));
  EXPECT_EQ(outcome("local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end"),
            "test.lua:2: wanted more than 32 MiB of memory");
  EXPECT_EQ(outcome("pcall(function() local t = ('x'):rep(1000000000) end)"),
            "test.lua:2: wanted more than 32 MiB of memory");
  EXPECT_EQ(outcome("row.big = ('x'):rep(40000000)"), "test.lua:2: wanted more than 32 MiB of memory");
}

TEST_F(HostileProjectionTest, ResultsAreRowsOrNothing) {
  for (const char* wrong : {"3", "'text'", "true", "null", "tostring", "1.5", "function() end"}) {
    EXPECT_THAT(outcome("if true then return " + std::string(wrong) + " end"),
                AllOf(StartsWith("test.lua:1: on.Added returned "),
                      HasSubstr("instead of another row, which is a table, DELETE or nothing")))
        << wrong;
  }
}

TEST_F(HostileProjectionTest, RowsThatJsonCannotRepresentAreRefused) {
  const std::string kNotKept = "test.lua: the row cannot be kept: ";
  EXPECT_THAT(outcome("row.f = { g = function() end }"),
              AllOf(StartsWith(kNotKept + "at \"/f/g\": JSON has no value")));
  EXPECT_THAT(outcome("row.d = DELETE"), StartsWith(kNotKept + "at \"/d\""));
  EXPECT_THAT(outcome("row.x = 0/0"), StartsWith(kNotKept + "at \"/x\": JSON has no number"));
  EXPECT_THAT(outcome("row.x = math.huge"), StartsWith(kNotKept + "at \"/x\": JSON has no number"));
  EXPECT_THAT(outcome("row.x = '\\xff'"), StartsWith(kNotKept + "at \"/x\": the text is not UTF-8"));
  EXPECT_THAT(outcome("row.row = row"), HasSubstr("tables in each other"));
  EXPECT_THAT(outcome("local t = row for i = 1, 10000 do t.t = {} t = t.t end"),
              HasSubstr("tables in each other"));
  EXPECT_THAT(outcome("row[1] = 1"), HasSubstr("neither all strings nor 1 to the number"));
  EXPECT_THAT(outcome("row[true] = 1"), HasSubstr("neither all strings nor 1 to the number"));
  EXPECT_THAT(outcome("local t = { 1 } row.a = t row.b = t"), HasSubstr("one table is in two places of it"));
  EXPECT_THAT(outcome("row.event = event"), HasSubstr("an event, or what else is no plain table, is in it"));
  EXPECT_THAT(outcome("if true then return event end"), HasSubstr("an event, or what else"));
  EXPECT_THAT(outcome("local t = {} row.t = t for i = 1, 60 do t.a = {} t.b = t.a t = t.a end"),
              StartsWith("test.lua"));
}

TEST_F(HostileProjectionTest, RowsHaveASizeLimit) {
  EXPECT_EQ(outcome("row.x = ('x'):rep(1048576)"),
            "test.lua: the row cannot be kept: it has 1048593 bytes, and may have 1048576");
  EXPECT_THAT(outcome("row.x = ('x'):rep(1048576 - 17)"), StartsWith(R"({"n":2,"x":"xxx)"));
  EXPECT_THAT(outcome("row.x = ('x'):rep(9000000) row.y = 1"), HasSubstr("more than 8388608 bytes of JSON"));
}

// Memory that a script keeps outside of rows counts against its state and is freed when rows are cleared.
TEST_F(HostileProjectionTest, MemoryOutsideOfRowsIsLimitedAndFreedByClear) {
  use("local kept = {} return projection { on = { Added = function(row, event)\n"
      "kept[#kept + 1] = ('x'):rep(8000000) .. #kept\nrow.n = #kept end } }");
  std::string told;
  int calls = 0;
  while (told.empty() && calls < 200) {
    told = apply(0, "{}");
    ++calls;
  }
  EXPECT_THAT(told, HasSubstr("wanted more than 640 MiB of memory"));
  EXPECT_GT(calls, 20);
  EXPECT_GT(rows().memory_used(), 100u << 20);
  rows().clear();
  EXPECT_LT(rows().memory_used(), 1u << 20);
  EXPECT_EQ(apply(0, "{}"), "");
}

// The memory of other rows does not make a call fail that would succeed alone.
TEST_F(HostileProjectionTest, ManyRowsDoNotReduceTheMemoryOfACall) {
  use("return projection { on = { Added = function(row, event) row.x = ('x'):rep(800000) .. event.data.n end,"
      " Large = function(row, event) row.n = #('x'):rep(12000000) end } }");
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    ASSERT_EQ(apply(slot, "{\"n\":" + std::to_string(slot) + "}"), "");
  }
  EXPECT_EQ(apply(100, given("{}", "Large")), "");
  EXPECT_EQ(row(100), R"({"n":12000000})");
}

TEST_F(HostileProjectionTest, KeyFunctionsHaveTheSameLimits) {
  use("return projection {\nkey = function(event)\nif event.data.bad then while true do end end return 'k' "
      "end,\n"
      "on = { Added = function(row, event) row.n = (row.n or 0) + 1 end } }");
  const Given& bad = given(R"({"bad":true})");
  EXPECT_THAT(key_of(bad), StartsWith("test.lua:3: took more than"));
  const Given& good = given("{}");
  EXPECT_EQ(key_of(good), "k");
  EXPECT_EQ(key_of(bad).substr(0, 11), "test.lua:3:");
  EXPECT_EQ(apply(0, good), "");
  EXPECT_EQ(row(0), R"({"n":1})");
}

TEST_F(HostileProjectionTest, ASavedRowThatDoesNotFitFailsWhenItIsUsed) {
  use_handler("row.n = 1");
  // A million empty tables in 3 MB of JSON need more memory than one call may use.
  std::string json = "[{}";
  for (int i = 0; i < 1'000'000; ++i) json += ",{}";
  json += "]";
  std::string bytes;
  for (std::size_t size = json.size();; size >>= 7) {
    bytes += static_cast<char>((size & 0x7f) | (size > 0x7f ? 0x80 : 0));
    if (size <= 0x7f) break;
  }
  bytes += json;
  EXPECT_TRUE(rows().load(0, bytes));
  EXPECT_THAT(apply(0, "{}"), HasSubstr("of memory"));
  EXPECT_THAT(row(0), HasSubstr("of memory"));
  EXPECT_EQ(apply(1, "{}"), "");
  ASSERT_TRUE(rows().load(0, ""));
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(row(0), R"({"n":1})");
}

}  // namespace
}  // namespace cairn::test

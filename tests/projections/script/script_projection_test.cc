// Rows of a script: keys, handlers, saving and loading.

#include <random>

#include "tests/projections/script/script_projection_fixture.h"
#include "tests/schemaregistry/codec/codec_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSum = "row.n = (row.n or 0) + 1; row.sum = (row.sum or 0) + event.data.cents";

TEST_F(ScriptProjectionTest, InfoHasCategoriesAndTypes) {
  use_handler("", "from = { categories = { 'order' } },");
  EXPECT_EQ(projection().info().name, "test");
  EXPECT_THAT(projection().info().from.categories, ElementsAre("order"));
  EXPECT_THAT(projection().info().from.types, ElementsAre("Added"));
}

TEST_F(ScriptProjectionTest, EventsChangeTheRowOfTheirSlot) {
  use_handler(kSum);
  for (const std::uint32_t slot : {0u, 1u, 1'023u, 1'024u, 5'000u}) ASSERT_TRUE(rows().load(slot, ""));
  EXPECT_EQ(apply(0, R"({"cents":5})"), "");
  EXPECT_EQ(apply(0, R"({"cents":7})"), "");
  EXPECT_EQ(apply(1'024, R"({"cents":9007199254740993})"), "");
  EXPECT_EQ(row(0), R"({"n":2,"sum":12})");
  EXPECT_EQ(row(1), "");
  EXPECT_EQ(row(1'023), "");
  EXPECT_EQ(row(1'024), R"({"n":1,"sum":9007199254740993})");
  EXPECT_EQ(row(5'000), "");
}

TEST_F(ScriptProjectionTest, AHandlerChangesReplacesOrDeletesTheRow) {
  use_handler(
      "if event.data.gone then return DELETE end\n"
      "if event.data.new then return { new = event.data.new } end\n"
      "row.n = (row.n or 0) + 1");
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(row(0), R"({"n":2})");
  EXPECT_EQ(apply(0, R"({"new":[1]})"), "");
  EXPECT_EQ(row(0), R"({"new":[1]})");
  EXPECT_EQ(apply(0, R"({"gone":true})"), "");
  EXPECT_EQ(row(0), "");
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(row(0), R"({"n":1})");
}

TEST_F(ScriptProjectionTest, TypesWithoutAHandlerChangeNothing) {
  use_handler("row.n = 1");
  EXPECT_EQ(apply(0, given("{}", "Removed")), "");
  EXPECT_EQ(row(0), "");
}

TEST_F(ScriptProjectionTest, WithoutAKeyTheStreamIsTheKey) {
  use_handler("");
  EXPECT_EQ(key_of(given("{}", "Added", "order-42")), "order-42");
}

TEST_F(ScriptProjectionTest, KeysAreTextIntegersOrNone) {
  use_handler("", "key = function(event) return event.data.key end,");
  EXPECT_EQ(key_of(given(R"({"key":"é/x y"})")), "é/x y");
  EXPECT_EQ(key_of(given(R"({"key":-9223372036854775808})")), "-9223372036854775808");
  EXPECT_EQ(key_of(given("{}")), "");
  EXPECT_EQ(key_of(given("{}", "Removed")), "") << "no function would be called for it";
  EXPECT_EQ(key_of(given("{\"key\":\"" + std::string(400, 'x') + "\"}")), std::string(400, 'x'));

  EXPECT_EQ(key_of(given(R"({"key":{}})")), "test.lua:1: key returned {} instead of text, an integer or nil");
  for (const char* wrong : {"null", "1.5", "true", "[1]", "3.0"}) {
    EXPECT_THAT(key_of(given("{\"key\":" + std::string(wrong) + "}")),
                HasSubstr("instead of text, an integer or nil"))
        << wrong;
  }
  for (const std::string& wrong : {std::string(), std::string(401, 'x'), std::string("a\\u0000b"),
                                   std::string("a\\nb"), std::string("\\u0085")}) {
    EXPECT_THAT(key_of(given("{\"key\":\"" + wrong + "\"}")),
                HasSubstr("but a key has 1 to 400 bytes of UTF-8 without control characters"))
        << wrong;
  }
}

TEST_F(ScriptProjectionTest, KeysThatAreNotUtf8AreRefused) {
  use_handler("", "key = function(event) return '\\xff' end,");
  EXPECT_THAT(key_of(given("{}")), HasSubstr("of UTF-8"));
}

// The key function may run here, in another state, or twice, and may change its copy of the event.
TEST_F(ScriptProjectionTest, RowsDoNotDependOnWhereKeysAreComputed) {
  use_handler(
      "row.seen = (row.seen or '') .. event.data.n .. (event.mark or '-') .. event.stream event.data.n = 100",
      "key = function(event) event.data.n = event.data.n + 1; event.mark = 'm' return 'k' end,");
  const Given& first = given(R"({"n":1})");
  const Given& second = given(R"({"n":5})");
  const auto elsewhere = new_rows();

  EXPECT_EQ(key_of(first), "k");
  EXPECT_EQ(apply(0, first), "");
  EXPECT_EQ(key_of(second), "k");
  EXPECT_EQ(apply(0, second), "");

  EXPECT_EQ(apply(1, first), "");  // key never computed
  EXPECT_EQ(key_of(second), "k");
  EXPECT_EQ(key_of(second), "k");
  EXPECT_EQ(apply(1, second), "");

  EXPECT_EQ(key_of(second), "k");
  EXPECT_EQ(apply(2, first), "");  // key of the other event computed before
  EXPECT_EQ(key_of(*elsewhere, second), "k");
  EXPECT_EQ(apply(2, second), "");

  EXPECT_EQ(key_of(first), "k");  // computed once, applied twice
  EXPECT_EQ(apply(3, first), "");
  EXPECT_EQ(apply(4, first), "");

  EXPECT_EQ(row(0), R"({"seen":"1-order-15-order-1"})");
  EXPECT_EQ(saved(1), saved(0));
  EXPECT_EQ(saved(2), saved(0));
  EXPECT_EQ(row(3), R"({"seen":"1-order-1"})");
  EXPECT_EQ(saved(4), saved(3));
}

TEST_F(ScriptProjectionTest, PartsOfAnEventHaveTheirOwnData) {
  use_handler("row.n = event.data.n", "key = function(event) return event.data.n end,");
  Given one = given(R"({"n":1})");
  one.part.part = 1;
  EXPECT_EQ(key_of(one), "1");
  one.part.part = 2;
  one.part.data = R"({"n":2})";
  EXPECT_EQ(apply(0, one), "");
  EXPECT_EQ(row(0), R"({"n":2})");
}

TEST_F(ScriptProjectionTest, AnEventCanOnlyBeUsedDuringItsCall) {
  use("local kept; return projection { on = { Added = function(row, event)\n"
      "if kept then row.was = kept.stream else kept = event; row.n = 1 end end } }");
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(apply(1, "{}"), "test.lua:2: an event can only be asked during the call it was given to");
  EXPECT_EQ(row(0), R"({"n":1})");
}

TEST_F(ScriptProjectionTest, SavedRowsLoadUnchanged) {
  use_handler("for name, value in pairs(event.data) do row[name] = value end");
  const std::string json =
      R"({"array":[],"big":9007199254740993,"deep":[[{"x":[]}],{}],"float":3.0,"map":{},"min":-9223372036854775808,)"
      R"("no":null,"text":"é\n\u0000\"","tiny":5e-324,"yes":true})";
  EXPECT_EQ(apply(0, json), "");
  const std::string bytes = saved(0);
  EXPECT_EQ(row(0), json);
  ASSERT_TRUE(rows().load(1, bytes));
  EXPECT_EQ(saved(1), bytes);
  const auto others = new_rows();
  ASSERT_TRUE(others->load(7, bytes));
  EXPECT_EQ(saved(*others, 7), bytes);
}

// An empty list is {} unless it is marked as an array, then []; also after saving and loading.
TEST_F(ScriptProjectionTest, ArrayMarksSurviveSavingAndLoading) {
  use_handler(
      "if event.data.begin then row.plain = { 1 } row.marked = array { 1 }\n"
      "else table.remove(row.plain) table.remove(row.marked) end");
  EXPECT_EQ(apply(0, R"({"begin":true})"), "");
  ASSERT_TRUE(rows().load(1, saved(0)));
  EXPECT_EQ(apply(0, "{}"), "");
  EXPECT_EQ(apply(1, "{}"), "");
  EXPECT_EQ(row(0), R"({"marked":[],"plain":{}})");
  EXPECT_EQ(saved(1), saved(0));
}

TEST_F(ScriptProjectionTest, AnEmptyRowIsNotSaved) {
  use_handler(
      "if event.data.how == 'returned' then return array {} end\n"
      "if event.data.how == 'marked' then array(row) end\n"
      "if event.data.how == 'emptied' then array(row)[1] = 1; row[1] = nil end\n"
      "if not event.data.how then row[1] = 7 end");
  std::uint32_t slot = 0;
  for (const char* how : {"returned", "marked", "emptied", "nothing"}) {
    const std::uint32_t live = slot++;
    const std::uint32_t reloaded = slot++;
    EXPECT_EQ(apply(live, R"({"how":")" + std::string(how) + "\"}"), "");
    EXPECT_EQ(saved(live), "");
    ASSERT_TRUE(rows().load(reloaded, ""));
    EXPECT_EQ(apply(live, "{}"), "");
    EXPECT_EQ(apply(reloaded, "{}"), "");
    EXPECT_EQ(saved(live), saved(reloaded)) << how;
    EXPECT_EQ(row(live), "[7]");
  }
}

TEST_F(ScriptProjectionTest, OtherBytesAreNotARow) {
  use_handler(kSum);
  EXPECT_EQ(apply(0, R"({"cents":5})"), "");
  const std::string bytes = saved(0);
  std::string json;
  for (const std::string& wrong : {std::string("x"), bytes.substr(0, bytes.size() - 1),
                                   "\x02" + std::string("[}"), std::string("\x01") + "3"}) {
    EXPECT_FALSE(rows().load(1, wrong)) << wrong;
  }
  for (const std::string& wrong : {std::string(), std::string("x"), "\x02" + std::string("[}")}) {
    EXPECT_EQ(projection().append_json(wrong, json).error().code, Errc::kCorruption) << wrong;
  }
  EXPECT_EQ(json, "");
  EXPECT_EQ(row(0), R"({"n":1,"sum":5})");
}

TEST_F(ScriptProjectionTest, ClearEmptiesAllSlots) {
  use_handler(kSum);
  const std::size_t before = rows().memory_used();
  for (std::uint32_t slot = 0; slot < 5'000; ++slot) ASSERT_TRUE(rows().load(slot, ""));
  for (std::uint32_t slot = 0; slot < 5'000; ++slot) {
    ASSERT_EQ(apply(slot, R"({"cents":5})"), "");
  }
  EXPECT_GT(rows().memory_used(), before + 5'000 * 50);
  EXPECT_LT(rows().memory_used(), before + 5'000 * 1'000);
  rows().clear();
  EXPECT_LE(rows().memory_used(), before + 1'000);
  EXPECT_EQ(row(0), "");
  EXPECT_EQ(apply(4'999, R"({"cents":6})"), "");
  EXPECT_EQ(row(4'999), R"({"n":1,"sum":6})");
}

TEST_F(ScriptProjectionTest, GarbageDoesNotCountAsRows) {
  use_handler(kSum);
  for (std::uint32_t slot = 0; slot < 1'000; ++slot) ASSERT_TRUE(rows().load(slot, ""));
  const Given& large = given(R"({"cents":1,"text":")" + std::string(200'000, 'x') + "\"}");
  for (std::uint32_t i = 0; i < 2'000; ++i) ASSERT_EQ(apply(i % 1'000, large), "");
  EXPECT_LT(rows().memory_used(), 1u << 20);
}

TEST_F(ScriptProjectionTest, AvroIsReadByItsPlan) {
  use_handler("row.big = event.data.cents; row.who = event.data.who",
              "key = function(e) return e.data.who end,");
  const Codec codec(
      R"({"type":"record","name":"A","fields":[{"name":"cents","type":"long"},{"name":"who","type":"string"}]})");
  auto plan = DecodePlan::compile(codec.schema(), codec.schema());
  ASSERT_TRUE(plan.ok());
  Given one = given("");
  const std::string avro = codec.encode(R"({"cents":9007199254740993,"who":"me"})");
  one.part.data = avro;
  one.part.plan = &*plan;
  EXPECT_EQ(key_of(one), "me");
  EXPECT_EQ(apply(0, one), "");
  EXPECT_EQ(row(0), R"({"big":9007199254740993,"who":"me"})");
  rows().forget_plans();
  one.part.data = std::string_view(avro).substr(0, 3);
  EXPECT_THAT(apply(0, one), StartsWith("store: ")) << "what was decoded before does not count any more";
  std::string key;
  EXPECT_EQ(std::get<Error>(rows().key_of(one.event, one.part, key).error()).code, Errc::kCorruption);
}

// Rows in several partitions, saved and loaded at any time, equal the rows of a single partition.
TEST_F(ScriptProjectionTest, RowsDoNotDependOnPartitions) {
  use_handler(
      "row.n = (row.n or 0) + 1\n"
      "if event.data.x % 7 == 0 then return DELETE end\n"
      "if event.data.x % 5 == 0 then row.list = nil end\n"
      "row.list = row.list or (event.data.x % 2 == 0 and array {} or {})\n"
      "if event.data.x % 3 == 0 then table.remove(row.list) else row.list[#row.list + 1] = event.data.x * "
      "1.5 end",
      "key = function(event) return event.data.x % 10 end,");
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<ProjectionRows>> spread;
  for (int i = 0; i < 3; ++i) spread.push_back(new_rows());
  for (int i = 0; i < 3'000; ++i) {
    const Given& one = given("{\"x\":" + std::to_string(random() % 1'000) + "}");
    const auto slot = static_cast<std::uint32_t>(std::stoul(key_of(one)));
    ASSERT_EQ(apply(slot, one), "");
    ProjectionRows& owner = *spread[slot % 3];
    if (random() % 2 == 0) key_of(owner, one);
    ASSERT_EQ(apply(owner, slot, one), "");
    if (random() % 4 == 0) {
      auto& moved = spread[slot % 3];
      const std::string bytes = saved(*moved, slot);
      ASSERT_TRUE(moved->load(slot, bytes));
    }
    ASSERT_EQ(saved(owner, slot), saved(slot)) << "after " << i;
  }
}

}  // namespace
}  // namespace cairn::test

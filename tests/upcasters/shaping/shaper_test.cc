// Events on their way from the stored version to the requested one.

#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ShaperTest : public UpcastersTest {
 protected:
  void versions(const std::string& type, std::vector<std::string> schemas) {
    for (const std::string& schema : schemas) registered(type, schema);
  }
};

TEST_F(ShaperTest, CompatibleVersionsNeedNoUpcaster) {
  versions("Order", {record(R"({"name":"id","type":"int"})"),
                     record(R"({"name":"id","type":"long"},{"name":"note","type":"string","default":"-"})")});
  append_as("order-1", "Order", 1, R"({"id":7})");
  append_as("order-1", "Order", 2, R"({"id":8,"note":"x"})");
  EXPECT_THAT(read("order-1"),
              ElementsAre(R"(Order@2 {"id":7,"note":"-"})", R"(Order@2 {"id":8,"note":"x"})"));
  EXPECT_THAT(read("order-1", Shape::stored()),
              ElementsAre(R"(Order@1 {"id":7})", R"(Order@2 {"id":8,"note":"x"})"));
}

TEST_F(ShaperTest, EachVersionLeadsToTheNextAndNotPastIt) {
  // Read directly, the third version would find the field that the second does not have.
  versions("Order", {record(R"({"name":"a","type":"int"},{"name":"b","type":"int"})"),
                     record(R"({"name":"a","type":"int"})"),
                     record(R"({"name":"a","type":"long"},{"name":"b","type":"int","default":0})")});
  append_as("order-1", "Order", 1, R"({"a":1,"b":2})");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"a":1,"b":0})"));
  EXPECT_THAT(read("order-1", Shape::of_version(2)), ElementsAre(R"(Order@2 {"a":1})"));
}

TEST_F(ShaperTest, AnUpcasterBridgesIncompatibleVersions) {
  versions("Order", {kEuros, kCents});
  append_as("order-1", "Order", 1, R"({"total":12.5})");
  EXPECT_THAT(read("order-1"), ElementsAre(HasSubstr("cannot read the data")));
  deployed(kEurosToCents);
  append_as("order-1", "Order", 2, R"({"cents":1})");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"cents":1250})", R"(Order@2 {"cents":1})"));
  EXPECT_THAT(read("order-1", Shape::of_version(1)),
              ElementsAre(R"(Order@1 {"total":12.5})", HasSubstr("version 1 of Order cannot read the data")));
}

TEST_F(ShaperTest, ScriptsAndCompatibleStepsMix) {
  versions("Order",
           {kEuros, kCents,
            record(R"({"name":"cents","type":"long"},{"name":"note","type":"string","default":"-"})"),
            record(R"({"name":"text","type":"string"})")});
  append_as("order-1", "Order", 1, R"({"total":0.25})");
  deployed(upcaster("Order", 3, 4, "return { text = data.cents .. data.note }"));
  deployed(kEurosToCents);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@4 {"text":"25-"})"));
  EXPECT_THAT(read("order-1", Shape::of_version(3)), ElementsAre(R"(Order@3 {"cents":25,"note":"-"})"));
}

TEST_F(ShaperTest, AScriptSeesTheEvent) {
  versions("Order", {kEuros, record(R"({"name":"text","type":"string"})")});
  deployed(upcaster("Order", 1, 2,
                    "return { text = event.stream .. ' ' .. event.version .. ' ' .. event.position .. ' ' .. "
                    "event.type .. ' ' .. tostring(event.data == data) }"));
  const auto at = append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"text":"order-1 1 )" +
                                           std::to_string(at.first_position.value) + R"( Order true"})"));
}

TEST_F(ShaperTest, AnEventCanBecomeSeveralOrNone) {
  versions("Order", {kEuros, kCents});
  deployed(
      upcaster("Order", 1, 2,
               "if data.total < 0 then return {} end\n"
               "local half = math.tointeger(data.total * 50)\n"
               "return { { data = { cents = half } }, { type = 'Order', data = { cents = half + 1 } } }"));
  append_as("order-1", "Order", 1, R"({"total":2})");
  append_as("order-1", "Order", 1, R"({"total":-1})");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2#1 {"cents":100})", R"(Order@2#2 {"cents":101})"));
}

TEST_F(ShaperTest, PartsContinueThroughLaterUpcasters) {
  versions("Order", {kEuros, kCents, kMoney});
  deployed(upcaster("Order", 2, 3,
                    "return { { data = { amount = data.cents, currency = 'A' } },"
                    " { data = { amount = data.cents, currency = 'B' } } }"));
  deployed(upcaster("Order", 1, 2, "return { { data = { cents = 1 } }, { data = { cents = 2 } } }"));
  append_as("order-1", "Order", 1, R"({"total":0})");
  EXPECT_THAT(
      read("order-1"),
      ElementsAre(R"(Order@3#1 {"amount":1,"currency":"A"})", R"(Order@3#2 {"amount":1,"currency":"B"})",
                  R"(Order@3#3 {"amount":2,"currency":"A"})", R"(Order@3#4 {"amount":2,"currency":"B"})"));
}

TEST_F(ShaperTest, AnEventOfAnotherTypeIsOfTheVersionThatWasNewestThen) {
  versions("Order", {kEuros, kCents});
  versions("Line", {record(R"({"name":"n","type":"int"})", "Line")});
  deployed(upcaster("Order", 1, 2, "return { { type = 'Line', data = { n = 4 } } }"));
  append_as("order-1", "Order", 1, R"({"total":0})");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Line@1 {"n":4})"));

  // A later version of that type is reached by its own upcaster; the script above does not change.
  registered("Line", record(R"({"name":"text","type":"string"})", "Line"));
  deployed(upcaster("Line", 1, 2, "return { text = 'n' .. data.n }"));
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Line@2 {"text":"n4"})"));
  restart();
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Line@2 {"text":"n4"})"));
}

TEST_F(ShaperTest, DataThatComesBackUnchangedIsDataEvenWhenItIsEmpty) {
  versions("Order", {record(R"({"name":"a","type":"int"})"), record("")});
  deployed(upcaster("Order", 1, 2, "data.a = nil return data"));
  append_as("order-1", "Order", 1, R"({"a":1})");
  EXPECT_THAT(read("order-1"), ElementsAre("Order@2 {}"));
}

TEST_F(ShaperTest, ValuesThatAreNoRecordsAreTheirOwnResult) {
  versions("Count", {R"("int")", R"("string")", R"({"type":"array","items":"int"})"});
  deployed(upcaster("Count", 2, 3, "return { { data = { #data, 2 } } }"));
  deployed(upcaster("Count", 1, 2, "return 'n' .. data"));
  append_as("c-1", "Count", 1, "12");
  EXPECT_THAT(read("c-1"), ElementsAre("Count@3 [3,2]"));
  EXPECT_THAT(read("c-1", Shape::of_version(2)), ElementsAre(R"(Count@2 "n12")"));
}

TEST_F(ShaperTest, FreeJsonStaysAsItIs) {
  NewEvent free;
  free.type = "Free";
  free.data = R"({"a":1})";
  append("free-1", {free});
  EXPECT_THAT(read("free-1"), ElementsAre(R"(Free@0 {"a":1})"));
}

TEST_F(ShaperTest, EveryValueSurvivesAScript) {
  const std::string all =
      R"({"name":"i","type":"long"},{"name":"d","type":"double"},{"name":"n","type":["null","string"]},)"
      R"({"name":"e","type":{"type":"array","items":"int"}},{"name":"m","type":{"type":"map","values":"long"}},)"
      R"({"name":"b","type":"bytes"})";
  versions("Order", {record(all), record(all + R"(,{"name":"new","type":"int"})")});
  deployed(upcaster("Order", 1, 2, "data.new = 1 return data"));
  append_as("order-1", "Order", 1,
            R"({"i":9223372036854775807,"d":1.0,"n":null,"e":[],"m":{},"b":"\u0000ÿ"})");
  append_as("order-1", "Order", 1,
            R"({"i":-9223372036854775808,"d":0.1,"n":"x","e":[1],"m":{"k":2},"b":""})");
  EXPECT_THAT(
      read("order-1"),
      ElementsAre(
          R"(Order@2 {"i":9223372036854775807,"d":1.0,"n":null,"e":[],"m":{},"b":"\u0000ÿ","new":1})",
          R"(Order@2 {"i":-9223372036854775808,"d":0.1,"n":"x","e":[1],"m":{"k":2},"b":"","new":1})"));
}

TEST_F(ShaperTest, AVersionTheTypeDoesNotHaveIsNamed) {
  versions("Order", {kEuros});
  append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_THAT(read("order-1", Shape::of_version(5)), ElementsAre("fault: the type 'Order' has no version 5"));
}

TEST_F(ShaperTest, SoftDeletedVersionsAreSkipped) {
  versions("Order", {record(R"({"name":"a","type":"int"})"), record(R"({"name":"must","type":"int"})"),
                     record(R"({"name":"a","type":"long"})")});
  append_as("order-1", "Order", 1, R"({"a":1})");
  EXPECT_THAT(read("order-1"), ElementsAre(HasSubstr("fault: version 2 of Order cannot read the data")));
  ASSERT_TRUE(registry().delete_version("Order", 2, Permanent::kNo).ok());
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"a":1})"));
}

TEST_F(ShaperTest, AScriptThatMakesTooMuchOfOneEventIsStopped) {
  versions("Order", {kEuros, record(R"({"name":"text","type":"string"})"),
                     record(R"({"name":"text","type":"string"},{"name":"n","type":"int","default":0})"),
                     record(R"({"name":"other","type":"string"})")});
  append_as("order-1", "Order", 1, R"({"total":1})");
  deployed(upcaster("Order", 3, 4, "return {}"));
  EXPECT_THAT(told(deploy(upcaster("Order", 1, 2,
                                   "local big = { data = { text = string.rep('x', 5000000) } }\n"
                                   "local parts = {}\n"
                                   "for i = 1, 10 do parts[i] = big end\n"
                                   "return parts"))),
              HasSubstr("makes more than 32 MiB of one event"));
  deployed(upcaster("Order", 3, 4,
                    "local parts = {}\n"
                    "for i = 1, 500 do parts[i] = { data = { other = '' } } end\n"
                    "return parts"));
  EXPECT_THAT(told(deploy(upcaster("Order", 1, 2,
                                   "local parts = {}\n"
                                   "for i = 1, 500 do parts[i] = { data = { text = '' } } end\n"
                                   "return parts"))),
              HasSubstr("it makes too much of one event"));
}

TEST_F(ShaperTest, TheResultIsCheckedAgainstTheSchema) {
  struct Case {
    std::string body;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"return { cents = 'x' }",
       R"(the result does not fit version 2 of Order: at "/cents" long was expected)"},
      {"return { cents = 1.5 }", "long was expected"},
      {"return { cents = 1, other = 2 }", "no such field in Order"},
      {"return { other = 2 }", "nothing"},
      {"return nil", "returned nil instead of the data"},
      {"return 7", "returned 7 instead of the data"},
      {"return { 7 }", "part 1 is 7"},
      {"return { { data = { cents = 1 } }, { cents = 1 } }", "part 2 has the member 'cents'"},
      {"return { { type = 'Order' } }", "part 1 has no data"},
      {"return { { data = { cents = 1 } }, nil, { data = { cents = 1 } } }", "a list with holes"},
      {"return { { data = { cents = 1 } }, type = 'Order' }", "a list with holes or with names in it"},
      {"return { { type = 'No' .. 'body', data = {} } }",
       "'Nobody' stands neither in the script nor in its `produces`"},
      {"return { { type = 'Nobody', data = {} } }", "the type 'Nobody' has no schema"},
      {"return { { type = 4, data = {} } }", "part 1 has a type that is no name"},
      {"return { { type = '', data = {} } }", "part 1 has a type that is no name"},
      {"return { { type = ('x'):rep(1e6), data = {} } }", "part 1 has a type that is no name"},
      {"return { { type = 'Order\\0', data = {} } }", "part 1 has a type that is no name"},
      {"return { { type = '\\xff', data = {} } }", "part 1 has a type that is no name"},
      {"return { { ['a\\xff'] = 1, data = {} } }", "part 1 has the member 'a\uFFFD'"},
      {"return { { [('€'):rep(1e5)] = 1 } }", "€…';"},
      {"return { { 'x' } }", "part 1 has the member '[…]'"},
      {"error('too bad')", "too bad"},
      {"return data.total.x", "attempt to index a number value"},
  };
  versions("Order", {kEuros, kCents});
  append_as("order-1", "Order", 1, R"({"total":1})");
  for (const Case& one : cases) {
    const std::string outcome = told(deploy(upcaster("Order", 1, 2, one.body)));
    EXPECT_THAT(outcome, HasSubstr("failed on 1 of 1: position 3: Order/1-2.lua")) << one.body;
    EXPECT_THAT(outcome, HasSubstr(one.message)) << one.body;
    EXPECT_LT(outcome.size(), 1'000u) << one.body;
  }
  EXPECT_THAT(told(deploy(upcaster("Order", 1, 2, "error('here')"))), HasSubstr("Order/1-2.lua:4: here"));
}

}  // namespace
}  // namespace cairn::test

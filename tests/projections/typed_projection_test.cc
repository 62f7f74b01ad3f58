// Native (C++) projections: rows and events are structs, and the daemon runs them like Lua projections.

#include "projections/typed_projection.h"

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Added {
  static constexpr std::string_view kType = "Added";
  std::string_view customer;
  std::int64_t cents = 0;
  static constexpr auto kFields =
      std::tuple(data_field("customer", &Added::customer), data_field("cents", &Added::cents));
};

struct Left {
  static constexpr std::string_view kType = "Left";
  std::string_view customer;
  static constexpr auto kFields = std::tuple(data_field("customer", &Left::customer));
};

struct Totals {
  std::int64_t count = 0;
  std::int64_t sum = 0;

  static std::string_view key(const Added& event) { return event.customer; }
  static std::string_view key(const Left& event) { return event.customer; }

  Status apply(const Added& event) {
    ++count;
    if (event.cents < 0) return make_error(Errc::kFailedPrecondition, "nobody pays less than nothing");
    sum += event.cents;
    return {};
  }
  void apply(const Left&) { count = -1; }
  bool gone() const { return count < 0; }

  void append_json(std::string& to) const {
    to += R"({"n":)" + std::to_string(count) + R"(,"sum":)" + std::to_string(sum) + "}";
  }
};

// A row with every type of field, keyed by stream, with its own save() and load().
struct Everything {
  static constexpr std::string_view kType = "Everything";
  std::string_view text;
  double number = 0;
  bool yes = false;
  std::optional<std::int64_t> maybe;
  static constexpr auto kFields =
      std::tuple(data_field("text", &Everything::text), data_field("number", &Everything::number),
                 data_field("yes", &Everything::yes), data_field("maybe", &Everything::maybe));
};

struct LastSeen {
  std::string text;

  void apply(const Everything& event, const EventView& stored) {
    text = std::to_string(stored.version.value) + " " + std::string(event.text) + " " +
           std::to_string(event.number) + (event.yes ? " yes " : " no ") +
           (event.maybe ? std::to_string(*event.maybe) : "none");
  }
  void save(std::string& to) const { to += "=" + text; }
  bool load(std::string_view saved) {
    text = saved.substr(1);
    return saved.starts_with("=");
  }
  void append_json(std::string& to) const { to += '"' + text + '"'; }
};

class TypedProjectionTest : public DaemonTest {
 protected:
  void has_totals(const std::string& revision = "1") {
    EXPECT_THAT(
        daemon().add(make_typed_projection<Totals, Added, Left>({.name = "totals", .revision = revision})),
        succeeds());
  }
  void has_last_seen() {
    EXPECT_THAT(daemon().add(make_typed_projection<LastSeen, Everything>({.name = "seen", .revision = "1"})),
                succeeds());
  }
  void left(const std::string& customer) {
    append("customer-" + customer, {event("Left", R"({"customer":")" + customer + R"("})")});
  }
};

TEST_F(TypedProjectionTest, MakesRowsByKey) {
  has_totals();
  for (int i = 0; i < 40; ++i) added("order-" + std::to_string(i), i % 2 == 0 ? "ada" : "bob", i);
  settle();
  EXPECT_THAT(rows("totals"),
              ElementsAre(Pair("ada", R"({"n":20,"sum":380})"), Pair("bob", R"({"n":20,"sum":400})")));
}

TEST_F(TypedProjectionTest, MakesTheSameRowsAsALuaProjection) {
  has_totals();
  has_projection("lua", kByCustomer);
  for (int i = 0; i < 2'000; ++i) added("order-" + std::to_string(i % 7), "c" + std::to_string(i % 31), i);
  settle();
  EXPECT_EQ(rows("totals"), rows("lua"));
  EXPECT_EQ(rows("totals").size(), 31u);
}

TEST_F(TypedProjectionTest, ReadsEventsThatHaveASchema) {
  registered("Added", record(R"({"name":"place","type":{"type":"array","items":"string"}},
    {"name":"cents","type":"int"},{"name":"customer","type":["null","string"]})",
                             "Added"));
  // Fields are matched by name, whatever their place in the schema.
  registered("Added", record(R"({"name":"customer","type":["null","string"]},{"name":"cents","type":"long"},
    {"name":"inside","type":{"type":"record","name":"I","fields":[{"name":"cents","type":"long"}]},
     "default":{"cents":99}})",
                             "Added"));
  has_totals();
  append_as("order-1", "Added", 1, R"({"place":["a","b"],"cents":3,"customer":"ada"})");
  append_as("order-1", "Added", 2, R"({"customer":"ada","cents":4,"inside":{"cents":50}})");
  settle();
  EXPECT_THAT(rows("totals"), ElementsAre(Pair("ada", R"({"n":2,"sum":7})")));
}

TEST_F(TypedProjectionTest, ReadsFieldsOfAllKinds) {
  has_last_seen();
  append("a-1", {event("Everything", R"({"text":"a \"b\" é","number":2,"yes":true,"maybe":null})")});
  append("b-1", {event("Everything", R"({ "maybe" : -7, "other":{"text":[]}, "number":1.5e1,"yes":false,)"
                                     R"("text":""})")});
  registered("Everything",
             record(R"({"name":"text","type":{"type":"enum","name":"E","symbols":["ONE","TWO"]}},
    {"name":"number","type":"float"},{"name":"yes","type":"boolean"},{"name":"maybe","type":["null","int"]})",
                    "Everything"));
  append_as("c-1", "Everything", 1, R"({"text":"TWO","number":0.5,"yes":true,"maybe":{"int":3}})");
  settle();
  EXPECT_EQ(row("seen", "a-1"), "\"1 a \"b\" é 2.000000 yes none\"");
  EXPECT_EQ(row("seen", "b-1"), "\"1  15.000000 no -7\"");
  EXPECT_EQ(row("seen", "c-1"), "\"1 TWO 0.500000 yes 3\"");
}

TEST_F(TypedProjectionTest, ADeletedRowStartsEmpty) {
  has_totals();
  added("order-1", "ada", 5);
  settle();
  left("ada");
  settle();
  EXPECT_EQ(row("totals", "ada"), "none");
  added("order-1", "ada", 7);
  left("bob");
  settle();
  EXPECT_THAT(rows("totals"), ElementsAre(Pair("ada", R"({"n":1,"sum":7})")));
}

TEST_F(TypedProjectionTest, ContinuesAfterARestart) {
  has_totals();
  added("order-1", "ada", 5);
  settle();
  restart_daemon();
  has_totals();
  EXPECT_EQ(row("totals", "ada"), R"({"n":1,"sum":5})");
  EXPECT_EQ(status("totals").generation, 1u);
  added("order-1", "ada", 6);
  settle();
  EXPECT_EQ(row("totals", "ada"), R"({"n":2,"sum":11})");
  EXPECT_EQ(status("totals").generation, 1u);
}

TEST_F(TypedProjectionTest, ARebuildGivesTheSameRows) {
  has_totals();
  for (int i = 0; i < 50; ++i) {
    added("order-1", "c" + std::to_string(i % 11), i);
    if (i % 7 == 0) settle();
  }
  left("c3");
  settle();
  const Rows live = rows("totals");
  EXPECT_EQ(live.size(), 10u);
  ASSERT_THAT(daemon().rebuild("totals", std::nullopt), succeeds());
  settle();
  EXPECT_EQ(status("totals").generation, 2u);
  EXPECT_EQ(rows("totals"), live);
}

TEST_F(TypedProjectionTest, ANewRevisionIsRebuilt) {
  has_totals("1");
  added("order-1", "ada", 5);
  settle();
  restart_daemon();
  has_totals("2");
  settle();
  EXPECT_EQ(status("totals").generation, 2u);
  EXPECT_EQ(row("totals", "ada"), R"({"n":1,"sum":5})");
}

TEST_F(TypedProjectionTest, TheFingerprintCoversEventTypes) {
  const auto fewer = make_typed_projection<Totals, Added>({.name = "totals", .revision = "1"});
  const auto more = make_typed_projection<Totals, Added, Left>({.name = "totals", .revision = "1"});
  EXPECT_NE(fewer->info().fingerprint, more->info().fingerprint);
}

TEST_F(TypedProjectionTest, ARefusedEventParksItsKey) {
  has_totals();
  added("order-1", "ada", 5);   // 1
  added("order-1", "ada", -1);  // 2
  added("order-1", "bob", 7);   // 3
  added("order-1", "ada", 6);   // 4
  settle();
  EXPECT_THAT(rows("totals"),
              ElementsAre(Pair("ada", R"({"n":1,"sum":5})"), Pair("bob", R"({"n":1,"sum":7})")));
  EXPECT_THAT(parked("totals"), ElementsAre("ada@2 +1 row"));
  EXPECT_EQ(status("totals").last_error->message, "nobody pays less than nothing");
}

TEST_F(TypedProjectionTest, AnEventWithoutTheFieldParksItsStream) {
  has_totals();
  append("order-1", {event("Added", R"({"customer":"ada"})")});
  added("order-1", "ada", 6);
  added("order-2", "ada", 7);
  append("order-3", {event("Added", R"({"customer":17,"cents":1})")});
  append("order-4", {event("Added", R"({"customer":"a\u0007","cents":1})")});
  settle();
  EXPECT_THAT(rows("totals"), ElementsAre(Pair("ada", R"({"n":1,"sum":7})")));
  EXPECT_THAT(parked("totals"),
              ElementsAre("stream order-1@1 +1 row", "stream order-3@4 +0 row", "stream order-4@5 +0 row"));
  EXPECT_EQ(value_of(daemon().parked_key("totals", "order-1")).at(0).parked.message,
            "field 'cents' of Added is missing, but an integer is needed");
}

TEST_F(TypedProjectionTest, DataThatIsNotJsonParksItsStream) {
  has_totals();
  append("order-1", {event("Added", "{")});
  added("order-2", "ada", 7);
  settle();
  EXPECT_THAT(rows("totals"), ElementsAre(Pair("ada", R"({"n":1,"sum":7})")));
  EXPECT_THAT(parked("totals"), ElementsAre("stream order-1@1 +0 row"));
}

TEST_F(TypedProjectionTest, BytesThatAreNotARowAreRefused) {
  const auto projection = make_typed_projection<Totals, Added>({.name = "totals", .revision = "1"});
  const auto rows = *projection->make_rows();
  std::string json;
  EXPECT_FALSE(rows->load(0, "short"));
  EXPECT_THAT(projection->append_json("short", json), fails_with(Errc::kCorruption));
  EXPECT_THAT(json, IsEmpty());
}

}  // namespace
}  // namespace cairn::test

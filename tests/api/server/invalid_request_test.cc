// Invalid requests are 400, name the field, and store nothing.

#include <ostream>
#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

using ::testing::StartsWith;

struct BadAppend {
  const char* what;
  std::string body;
  const char* field;  // the problem's, or how it begins
};

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }
std::string with_data(std::string_view data) { return events_text({event_text("Placed", data)}); }
std::string with_type(std::string_view type) { return events_text({event_text(type)}); }
std::string with_id(const std::string& id) {
  return events_text({R"({"type":"T","data":1,"id":)" + id + "}"});
}
std::string with_version(std::string_view expected) { return events_text({event_text("T")}, expected); }
std::string with_more(const std::string& more) {
  return events_text({R"({"type":"T","data":1,)" + more + "}"});
}

const std::vector<BadAppend>& bad_appends() {
  static const std::vector<BadAppend> kCases = {
      {"empty", "", "body"},
      {"cut off", R"({"events":[)", "body"},
      {"an array", "[]", "body"},
      {"text behind", with_type("T") + "x", "body"},
      {"two objects", with_type("T") + with_type("T"), "body"},
      {"a comment", "/* no */" + with_type("T"), "body"},
      {"a comma too many", R"({"events":[{"type":"T","data":1},]})", "body"},
      {"a byte order mark", "\xef\xbb\xbf" + with_type("T"), "body"},
      {"unknown field", R"({"colour":1,"events":[{"type":"T","data":1}]})", "colour"},
      {"field in other case", R"({"Events":[{"type":"T","data":1}]})", "Events"},
      {"events missing", "{}", "events"},
      {"events empty", R"({"events":[]})", "events"},
      {"events an object", R"({"events":{}})", "events"},
      {"events null", R"({"events":null})", "events"},
      {"event a number", R"({"events":[7]})", "events[0]"},
      {"second event a text", R"({"events":[{"type":"T","data":1},"x"]})", "events[1]"},
      {"unknown field of an event", with_more(R"("colour":1)"), "events[0].colour"},
      {"unknown field of the second event",
       R"({"events":[{"type":"T","data":1},{"type":"T","data":1,"colour":1}]})", "events[1].colour"},
      {"type missing", R"({"events":[{"data":1}]})", "events[0].type"},
      {"type a number", R"({"events":[{"type":1,"data":1}]})", "events[0].type"},
      {"type empty", with_type(""), "events[0].type"},
      {"type of 201 bytes", with_type(std::string(201, 'x')), "events[0].type"},
      {"type with a control character", with_type("a\\u0007b"), "events[0].type"},
      {"data missing", R"({"events":[{"type":"T"}]})", "events[0].data"},
      {"id no UUID", with_id(R"("x")"), "events[0].id"},
      {"id a number", with_id("7"), "events[0].id"},
      {"id empty", with_id(R"("")"), "events[0].id"},
      {"id with a letter too many", with_id("\"" + uuid(1) + "0\""), "events[0].id"},
      {"id with a g", with_id(R"("018f3c9e-7f4a-7c30-9a1b-00000000000g")"), "events[0].id"},
      {"id in braces", with_id("\"{" + uuid(1) + "}\""), "events[0].id"},
      {"metadata an array", with_more(R"("metadata":[])"), "events[0].metadata"},
      {"metadata a text", with_more(R"("metadata":"x")"), "events[0].metadata"},
      {"tags a text", with_more(R"("tags":"x")"), "events[0].tags"},
      {"tag a number", with_more(R"("tags":["a",1])"), "events[0].tags"},
      {"tag empty", with_more(R"("tags":[""])"), "events[0].tags"},
      {"tag of 201 bytes", with_more("\"tags\":[\"" + std::string(201, 't') + "\"]"), "events[0].tags"},
      {"schemaVersion 0", with_more(R"("schemaVersion":0)"), "events[0].schemaVersion"},
      {"schemaVersion 1.5", with_more(R"("schemaVersion":1.5)"), "events[0].schemaVersion"},
      {"schemaVersion a text", with_more(R"("schemaVersion":"1")"), "events[0].schemaVersion"},
      {"version 1.5", with_version("1.5"), "expectedVersion"},
      {"version 2.0", with_version("2.0"), "expectedVersion"},
      {"version -1", with_version("-1"), "expectedVersion"},
      {"version 1e3", with_version("1e3"), "expectedVersion"},
      {"version 2^64", with_version("18446744073709551616"), "expectedVersion"},
      {"version of a hundred digits", with_version(std::string(100, '9')), "expectedVersion"},
      {"version a number in quotes", with_version(R"("2")"), "expectedVersion"},
      {"version another word", with_version(R"("none")"), "expectedVersion"},
      {"version true", with_version("true"), "expectedVersion"},
      {"version an array", with_version("[2]"), "expectedVersion"},
      {"version 02", with_version("02"), "body"},
      {"version NaN", with_version("NaN"), "body"},
      {"data with a number that is none", with_data(R"({"a":01})"), ""},
      {"data with .5", with_data(R"({"a":.5})"), ""},
      {"a body nested 129 deep", with_data(nested(126)), ""},
      {"a body nested 129 deep by its metadata", with_more("\"metadata\":{\"a\":" + nested(125) + "}"), ""},
      {"a field twice", R"({"events":[{"type":"T","data":1}],"events":[{"type":"T","data":1}]})", ""},
      {"a field of an event twice", R"({"events":[{"type":"T","data":1,"data":2}]})", ""},
      {"a field of data twice", with_data(R"({"a":1,"a":1})"), ""},
      {"a field of data twice, once escaped", with_data(R"({"a":1,"\u0061":1})"), ""},
      {"not UTF-8 in data", with_data("\"\xff\""), ""},
      {"not UTF-8 in type", with_type("a\x80"), ""},
      {"UTF-8 longer than needed", with_data("\"\xc0\xaf\""), ""},
      {"half a surrogate in UTF-8", with_data("\"\xed\xa0\x80\""), ""},
      {"half an escaped character", with_data(R"("\ud800")"), ""},
      {"the wrong half first", with_data(R"("\udc00\ud800")"), ""},
      {"a control character in a text", with_data("\"a\nb\""), ""},
      {"a zero byte", with_data(std::string("\"a\0b\"", 5)), ""},
  };
  return kCases;
}

class InvalidRequestTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    ASSERT_EQ(append("order-1", {event_text("Placed"), event_text("Paid")}).status, 201);
  }

  void expect_invalid(const HttpAnswer& answer, const std::string& field) {
    const Json refused = problem(answer, 400, "invalid-request");
    ASSERT_TRUE(refused.contains("field") && refused["field"].is_string()) << refused;
    EXPECT_THAT(refused["field"].get<std::string>(), StartsWith(field)) << refused;
    EXPECT_FALSE(refused["field"].get<std::string>().empty());
  }
  void expect_invalid_query(const std::string& target, const std::string& field,
                            const httplib::Headers& headers = {}) {
    SCOPED_TRACE(target);
    expect_invalid(get(target, headers), field);
  }
};

TEST_F(InvalidRequestTest, BadAppendsNameTheFieldAndStoreNothing) {
  for (const BadAppend& bad : bad_appends()) {
    SCOPED_TRACE(bad.what);
    expect_invalid(post("/streams/order-1/events", bad.body), bad.field);
    EXPECT_EQ(head(), 2u);
  }
}

TEST_F(InvalidRequestTest, BadEntriesOfAMultiAppendNameTheEntryAndStoreNothing) {
  const std::string good = entry_text("good-1", {event_text("T")});
  const std::vector<BadAppend> cases = {
      {"appends missing", "{}", "appends"},
      {"appends empty", R"({"appends":[]})", "appends"},
      {"appends an object", R"({"appends":{}})", "appends"},
      {"unknown field", R"({"appends":[],"colour":1})", ""},
      {"entry a number", appends_text({good, "7"}), "appends[1]"},
      {"stream missing", appends_text({good, R"({"expectedVersion":1})"}), "appends[1].stream"},
      {"stream a number", appends_text({good, R"({"stream":1})"}), "appends[1].stream"},
      {"stream empty", appends_text({good, entry_text("", {event_text("T")})}), "appends[1].stream"},
      {"stream with a slash", appends_text({good, entry_text("a/b", {event_text("T")})}),
       "appends[1].stream"},
      {"stream of 201 bytes", appends_text({good, entry_text(std::string(201, 's'), {event_text("T")})}),
       "appends[1].stream"},
      {"stream with a line's end", appends_text({good, entry_text("a\\nb", {event_text("T")})}),
       "appends[1].stream"},
      {"stream twice", appends_text({good, good}), "appends[1].stream"},
      {"unknown field of an entry", appends_text({good, R"({"stream":"a","colour":1})"}),
       "appends[1].colour"},
      {"version -1", appends_text({good, check_text("a", "-1")}), "appends[1].expectedVersion"},
      {"bad event", appends_text({good, entry_text("a", {event_text("T"), event_text("")})}),
       "appends[1].events[1].type"},
      {"bad id", appends_text({entry_text("a", {event_text("T", "1", "x")}), good}),
       "appends[0].events[0].id"},
  };
  for (const BadAppend& bad : cases) {
    SCOPED_TRACE(bad.what);
    expect_invalid(post("/append", bad.body), bad.field);
    EXPECT_EQ(head(), 2u);
  }
}

TEST_F(InvalidRequestTest, InvalidStreamNamesStoreNothing) {
  const std::string names[] = {
      "a%2Fb", "%00", "a%0Ab", "%7F", "%ff", "%C0%AF", "%ED%A0%80", "%C2%85", std::string(201, 'a')};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expect_invalid(post("/streams/" + name + "/events", events_text({event_text("T")})), "stream");
    // Such a stream cannot exist.
    for (const char* rest : {"", "/events"}) {
      const HttpAnswer read = get("/streams/" + name + rest);
      EXPECT_THAT(read.status, ::testing::AnyOf(400, 404));
      EXPECT_TRUE(read.json().contains("type"));
    }
    EXPECT_EQ(head(), 2u);
  }
}

TEST_F(InvalidRequestTest, InvalidPercentEscapesStoreNothing) {
  for (const char* name : {"%", "%2", "%zz", "a%g0"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(post("/streams/" + std::string(name) + "/events", events_text({event_text("T")})).status, 400);
    EXPECT_EQ(head(), 2u);
  }
}

TEST_F(InvalidRequestTest, BadQueriesNameTheParameter) {
  for (const char* path : {"/events", "/streams/order-1/events"}) {
    for (const char* bad : {"0", "-1", "+1", "1.5", "1e3", "18446744073709551616", "x", "", "%201", "0x1"}) {
      expect_invalid_query(std::string(path) + "?from=" + bad, "from");
      expect_invalid_query(std::string(path) + "?limit=" + bad, "limit");
    }
    expect_invalid_query(std::string(path) + "?limit=10001", "limit");
    expect_invalid_query(std::string(path) + "?direction=sideways", "direction");
    expect_invalid_query(std::string(path) + "?direction=", "direction");
    expect_invalid_query(std::string(path) + "?shape=round", "shape");
    expect_invalid_query(std::string(path) + "?shape=0", "shape");
    expect_invalid_query(std::string(path) + "?colour=red", "colour");
    expect_invalid_query(std::string(path) + "?From=1", "From");
    expect_invalid_query(std::string(path) + "?from=1&from=2", "from");
    expect_invalid_query(std::string(path) + "?limit=1&limit=2", "limit");
  }
  for (const std::string name : {"type", "category"}) {
    std::string query = "/events?" + name + "=X";
    for (int i = 0; i < 63; ++i) query += "&" + name + "=X" + std::to_string(i);
    EXPECT_EQ(get(query + "&" + name + "=X").status, 200) << "64, and one of them twice";
    expect_invalid_query(query + "&" + name + "=Y", name);
  }
  expect_invalid_query("/streams/order-1/events?category=order", "category");
  expect_invalid_query("/streams?limit=0", "limit");
  expect_invalid_query("/streams?limit=10001", "limit");
  expect_invalid_query("/streams?limit=ten", "limit");
  expect_invalid_query("/streams?colour=red", "colour");
  expect_invalid_query("/streams/order-1?colour=red", "colour");
}

TEST_F(InvalidRequestTest, FollowingGoesForwardFromAPosition) {
  const httplib::Headers live = {{"Accept", "text/event-stream"}};
  expect_invalid_query("/events?direction=backward", "direction", live);
  for (const char* id : {"x", "-1", "1.5", "18446744073709551616", "1 2"}) {
    SCOPED_TRACE(id);
    expect_invalid_query("/events?limit=1", "Last-Event-ID",
                         {{"Accept", "text/event-stream"}, {"Last-Event-ID", id}});
  }
}

TEST_F(InvalidRequestTest, ValuesAtTheLimitAreAccepted) {
  const std::string full_of_tags = [] {
    std::string tags;
    for (int i = 0; i < 64; ++i) tags += (i == 0 ? "\"" : ",\"") + std::string(200, 't') + "\"";
    return "\"tags\":[" + tags + "]";
  }();
  std::uint64_t expected_head = 2;
  for (const std::string& body :
       {with_data(nested(125)), with_type(std::string(200, 'x')), with_data("null"), with_data("\"\""),
        with_data("0"), with_type("Größe ☃"), with_more(full_of_tags), with_more("\"metadata\":{}"),
        with_version("\"exists\""), with_id("\"018F3C9E-7F4A-7C30-9A1B-0000000000AB\"")}) {
    EXPECT_EQ(post("/streams/order-1/events", body).status, 201) << body.substr(0, 300);
    EXPECT_EQ(head(), ++expected_head);
  }
  EXPECT_EQ(append(std::string(200, 'a'), {event_text("T")}).status, 201);
  EXPECT_EQ(get("/events?from=18446744073709551615").json()["events"], Json::array());
  EXPECT_EQ(get("/events?limit=10000").status, 200);
}

}  // namespace
}  // namespace cairn::test

// Data is read back byte for byte.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/support/child_process.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ExactDataTest : public ApiTest {
 protected:
  void SetUp() override { serve(); }

  // Appends `data` and expects the same bytes from every form of read, also after a restart.
  void expect_kept(const std::vector<std::string>& datas) {
    for (const std::string& data : datas) {
      ASSERT_EQ(append("exact-1", {event_text("Kept", data)}).status, 201) << data;
    }
    expect_read(datas);
    restart();
    expect_read(datas);
  }
  void expect_read(const std::vector<std::string>& datas) {
    const std::string lines = get("/events", {{"Accept", "application/x-ndjson"}}).body;
    for (std::size_t i = 0; i < datas.size(); ++i) {
      const std::string version = std::to_string(i + 1);
      const std::string wanted = "\"data\":" + datas[i] + ",\"metadata\"";
      EXPECT_THAT(get("/streams/exact-1/events?limit=1&from=" + version).body, HasSubstr(wanted));
      EXPECT_THAT(lines, HasSubstr("\"version\":" + version + ",")) << version;
      EXPECT_THAT(lines, HasSubstr(wanted));
    }
  }
};

TEST_F(ExactDataTest, NumbersKeepTheirDigits) {
  expect_kept({"9007199254740993",
               "-9007199254740993",
               "9223372036854775807",
               "-9223372036854775808",
               "18446744073709551615",
               "18446744073709551616",
               "123456789012345678901234567890",
               "0",
               "-0",
               "1.0",
               "1.10",
               "0.1000000000000000055511151231257827",
               "3.14159265358979323846264338327950288",
               "1e3",
               "1E+3",
               "1e-3",
               "1e400",
               "-1.5e-400",
               "[1,1.0,1.00,1e0]",
               R"({"order_id":9007199254740993,"total":19.50,"rate":1E5})",
               std::string(1'000, '9')});
}

TEST_F(ExactDataTest, StringsKeepTheirBytes) {
  expect_kept({R"("")", R"("plain")", R"("quote \" back \\ slash \/ \b\f\n\r\t")", R"("\u0000")",
               R"("a\u0000b")", R"("\u001f")", R"("😀")", R"("\ud83d\ude00")", R"("é")", R"("\u00e9")",
               R"("\u00E9")", "\"\xe2\x80\xa8\xe2\x80\xa9\"", "\"\x7f\"", R"("</script>")",
               R"({"\u0000":1,"":2,"a b":3})", R"({"schlüssel":"wert","ключ":"значение"})"});
}

TEST_F(ExactDataTest, FieldsKeepTheirOrder) { expect_kept({R"({"z":1,"a":2,"m":{"y":1,"b":2}})"}); }

TEST_F(ExactDataTest, OnlyInsignificantWhiteSpaceIsRemoved) {
  ASSERT_EQ(
      post("/streams/exact-1/events",
           " {\n\"events\" : [ { \"type\" : \"T\" ,\t\"data\" : { \"a b\" : [ 1 , 2.50 ,\r\n\" x  y \" ] } ,"
           " \"metadata\" : { \"m\" : 1.0 } , \"tags\" : [ \" t \" ] } ] } \n")
          .status,
      201);
  const std::string body = get("/streams/exact-1/events").body;
  EXPECT_THAT(body, HasSubstr(R"("data":{"a b":[1,2.50," x  y "]},"metadata":{"m":1.0},"tags":[" t "])"));
}

TEST_F(ExactDataTest, MetadataAndTagsAreKeptToo) {
  ASSERT_EQ(append("exact-1",
                   {R"({"type":"T","data":null,"metadata":{"big":9007199254740993,"x":1.0,"e":"\u0000"},)"
                    R"("tags":["customer:7","größe","a\\\"b"]})"})
                .status,
            201);
  restart();
  const HttpAnswer answer = get("/streams/exact-1/events");
  EXPECT_THAT(answer.body, HasSubstr(R"("metadata":{"big":9007199254740993,"x":1.0,"e":"\u0000"})"));
  EXPECT_EQ(answer.json()["events"][0]["tags"], Json::parse(R"(["customer:7","größe","a\\\"b"])"));
}

TEST_F(ExactDataTest, NamesOfStreamsAreKept) {
  for (const std::string& name :
       std::vector<std::string>{"a%20b", "gr%C3%BC%C3%9Fe-1", "%F0%9F%98%80", "%25", "a+b", "%2B", "..",
                                "%2e%2e", "a%3Fb%23c", "%22-%5C", "events"}) {
    SCOPED_TRACE(name);
    const HttpAnswer appended = append(name, {event_text("T")});
    ASSERT_EQ(appended.status, 201) << appended.body;
    const Json known = get("/streams/" + name).json();
    EXPECT_EQ(known["stream"], appended.json()["stream"]);
    EXPECT_EQ(get("/streams/" + name + "/events").json()["events"].back()["stream"], known["stream"]);
  }
  EXPECT_EQ(get("/streams/a%20b").json()["stream"], "a b");
  EXPECT_EQ(get("/streams/%F0%9F%98%80").json()["stream"], "😀");
  EXPECT_EQ(get("/streams/%25").json()["stream"], "%");
  EXPECT_EQ(get("/streams/a+b").json()["stream"], "a+b") << "a plus in a path is a plus";
}

TEST_F(ExactDataTest, AnEventOfEightMebibytesSurvives) {
  const std::string data = "\"" + std::string((8u << 20) - 100, 'x') + "\"";
  ASSERT_EQ(append("exact-1", {event_text("Large", data)}).status, 201);
  EXPECT_EQ(get("/streams/exact-1/events").json()["events"][0]["data"].dump(), data);
}

TEST_F(ExactDataTest, CurlSeesTheSameBytes) {
  const std::string events = url() + "/streams/exact-1/events";
  const auto curl = [](std::vector<std::string> words) {
    std::vector<std::string> command = {"/usr/bin/curl", "-sS", "--max-time", "20"};
    command.insert(command.end(), words.begin(), words.end());
    ChildProcess child({command, {}});
    child.close_input();
    std::string output;
    while (auto line = child.read_line()) output += *line + "\n";
    EXPECT_TRUE(child.wait().clean());
    return output;
  };
  const std::string appended =
      curl({events, "-w", "%{http_code}\n", "-H", "Content-Type: application/json", "-d",
            events_text({event_text("T", R"({"n":9007199254740993,"s":"\u0000😀"})")})});
  EXPECT_THAT(appended, HasSubstr("201"));
  const std::string read = curl({events, "-w", "\n"});
  EXPECT_THAT(read, HasSubstr(R"("data":{"n":9007199254740993,"s":"\u0000😀"})"));
  const std::string large = events_text({event_text("T", "\"" + std::string(100'000, 'x') + "\"")});
  std::ofstream(temp() / "body") << large;
  EXPECT_THAT(curl({events, "-w", "%{http_code}\n", "-H", "Content-Type: application/json", "--data-binary",
                    "@" + (temp() / "body").string()}),
              HasSubstr("201"))
      << "Expect: 100-continue";
}

}  // namespace
}  // namespace cairn::test

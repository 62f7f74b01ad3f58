#include "api/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/api/client/scripted_server.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;
using api::Client;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Next = Client::Next;
using Then = ScriptedServer::Then;

Client client_of(const ScriptedServer& server, const std::string& token = "") {
  return *Client::make({.url = server.url(), .token = token});
}

// The lines that get_lines() delivered, and how it ended.
struct Lines {
  std::vector<std::string> lines;
  Result<api::Answer> end;
};

Lines lines_of(Client client, std::size_t stop_after = 1'000) {
  std::vector<std::string> lines;
  auto end = client.get_lines("/events", {{"Accept", "application/x-ndjson"}}, [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() == stop_after ? Next::kStop : Next::kGoOn;
  });
  return {lines, std::move(end)};
}

TEST(ClientTest, AnAnswerOfAnyStatusIsASuccess) {
  const ScriptedServer server({ScriptedServer::answer(200, "yes"), ScriptedServer::answer(404, "no"),
                               ScriptedServer::answer(503, "")});
  Client client = client_of(server);
  const auto yes = client.get("/a?b=c%20d");
  ASSERT_THAT(yes, succeeds());
  EXPECT_EQ(yes->status, 200);
  EXPECT_EQ(yes->body, "yes");
  EXPECT_TRUE(yes->ok());
  const auto no = client.post_json("/x", "{}");
  ASSERT_THAT(no, succeeds());
  EXPECT_EQ(no->status, 404);
  EXPECT_EQ(no->body, "no");
  EXPECT_FALSE(no->ok());
  EXPECT_EQ(client.get("/")->status, 503);

  const auto requests = server.requests();
  EXPECT_THAT(requests[0], StartsWith("GET /a?b=c%20d HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0], Not(HasSubstr("Authorization")));
  EXPECT_THAT(requests[1], StartsWith("POST /x HTTP/1.1\r\n"));
  EXPECT_THAT(requests[1], HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(requests[1], HasSubstr("\r\n\r\n{}"));
}

TEST(ClientTest, TheTokenIsSentWithEveryRequest) {
  const ScriptedServer server({ScriptedServer::answer(200, ""), ScriptedServer::pieces({}, true)});
  Client client = client_of(server, "cairn_secret");
  EXPECT_THAT(client.get("/"), succeeds());
  EXPECT_THAT(client.get_lines("/", {}, [](std::string_view) { return Next::kGoOn; }), succeeds());
  for (const std::string& request : server.requests()) {
    EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer cairn_secret\r\n"));
  }
}

TEST(ClientTest, LinesAreReassembledFromPieces) {
  const ScriptedServer server({ScriptedServer::pieces({"on", "e\ntw", "o\r\n\n", "last"}, true)});
  const Lines lines = lines_of(client_of(server));
  EXPECT_THAT(lines.lines, ElementsAre("one", "two", "", "last"));
  ASSERT_THAT(lines.end, succeeds());
  EXPECT_EQ(lines.end->status, 200);
  EXPECT_THAT(server.requests()[0], HasSubstr("\r\nAccept: application/x-ndjson\r\n"));
}

TEST(ClientTest, PutLinesSendsABodyAndReceivesLines) {
  const ScriptedServer server(
      {ScriptedServer::pieces({"one\ntw", "o\n"}, true), ScriptedServer::answer(403, "no")});
  Client client = client_of(server, "cairn_secret");
  std::vector<std::string> lines;
  const auto put = [&] {
    return client.put_lines("/a%20b", {{"Accept", "application/x-ndjson"}}, "return 1\n", "text/x-lua",
                            [&](std::string_view line) {
                              lines.emplace_back(line);
                              return Next::kGoOn;
                            });
  };
  ASSERT_THAT(put(), succeeds());
  EXPECT_THAT(lines, ElementsAre("one", "two"));
  const auto refused = put();
  ASSERT_THAT(refused, succeeds());
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(refused->body, "no");
  const std::string request = server.requests()[0];
  EXPECT_THAT(request, StartsWith("PUT /a%20b HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept: application/x-ndjson\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: text/x-lua\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Length: 9\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer cairn_secret\r\n"));
  EXPECT_THAT(request, EndsWith("\r\n\r\nreturn 1\n"));
}

TEST(ClientTest, ALostConnectionIsAnError) {
  const ScriptedServer server({ScriptedServer::pieces({"one\n", "tw"}, false, Then::kClose)});
  const Lines lines = lines_of(client_of(server));
  EXPECT_THAT(lines.lines, ElementsAre("one"));
  EXPECT_THAT(lines.end, fails_with(Errc::kOutcomeUnknown));
}

TEST(ClientTest, TheCallbackCanStopTheStream) {
  const ScriptedServer server({ScriptedServer::pieces({"one\ntwo\nthree\n"}, false)});
  const Lines lines = lines_of(client_of(server), 2);
  EXPECT_THAT(lines.lines, ElementsAre("one", "two"));
  EXPECT_THAT(lines.end, succeeds());
}

TEST(ClientTest, ARefusalIsReturnedWithItsBody) {
  const ScriptedServer server({ScriptedServer::answer(404, "{\"status\":404}\n")});
  const Lines lines = lines_of(client_of(server));
  EXPECT_THAT(lines.lines, ElementsAre());
  ASSERT_THAT(lines.end, succeeds());
  EXPECT_EQ(lines.end->status, 404);
  EXPECT_EQ(lines.end->body, "{\"status\":404}\n");
}

TEST(ClientTest, NoServerIsAnError) {
  std::string url;
  {
    const ScriptedServer gone({});
    url = gone.url();
  }
  Client client = *Client::make({.url = url});
  const auto answer = client.get("/health");
  EXPECT_THAT(answer, fails_with(Errc::kIo));
  EXPECT_THAT(answer.error().message, HasSubstr(url));
}

TEST(ClientTest, TheNextRequestReconnects) {
  const ScriptedServer server({ScriptedServer::hang_up(), ScriptedServer::answer(200, "again")});
  Client client = client_of(server);
  EXPECT_THAT(client.get("/"), fails_with(Errc::kOutcomeUnknown));
  const auto again = client.get("/");
  ASSERT_THAT(again, succeeds());
  EXPECT_EQ(again->body, "again");
}

TEST(ClientTest, SilenceTimesOut) {
  const ScriptedServer server({ScriptedServer::pieces({"one\n"}, false)});
  const Lines lines = lines_of(*Client::make({.url = server.url(), .silence_timeout = 50ms}));
  EXPECT_THAT(lines.lines, ElementsAre("one"));
  EXPECT_THAT(lines.end, fails_with(Errc::kOutcomeUnknown));
}

TEST(ClientTest, AnotherThreadCanStopTheWait) {
  const ScriptedServer server({ScriptedServer::pieces({"one\n"}, false)});
  Client client = client_of(server);
  std::promise<void> reading;
  std::thread stopper([&] {
    reading.get_future().wait();
    client.stop();
  });
  const auto end = client.get_lines("/", {}, [&](std::string_view) {
    reading.set_value();
    return Next::kGoOn;
  });
  stopper.join();
  EXPECT_THAT(end, fails_with(Errc::kOutcomeUnknown));
}

TEST(ClientTest, WrongOptionsAreRefusedAtOnce) {
  EXPECT_THAT(Client::make({.url = "nowhere"}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(Client::make({.token = "a\r\nX: y"}), fails_with(Errc::kInvalidArgument));
  const TempFolder folder;
  EXPECT_THAT(Client::make({.ca_file = (folder / "none").string()}), fails_with(Errc::kInvalidArgument));
}

}  // namespace
}  // namespace cairn::test

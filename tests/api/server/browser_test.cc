// Pages of browsers: server-sent events for onmessage, tickets for EventSource, and --cors-origin.

#include <csignal>
#include <string>

#include "eventstore/base/file.h"
#include "tests/api/server/access_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class BrowserTest : public AccessTest {
 protected:
  static std::string asked(const std::string& path, const std::string& query) {
    return Json({{"path", path}, {"query", query}}).dump();
  }
  // A new ticket.
  std::string ticket(const char* token, const std::string& query, const std::string& path = "/events") {
    const HttpAnswer answer = as(token).post("/tickets", asked(path, query));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json().value("ticket", "");
  }
  // As EventSource: without a token.
  SseClient follow(const std::string& target, const std::string& more = "") {
    return SseClient(port(), target, more);
  }
  // The status of a request for server-sent events.
  int status(const std::string& target) { return follow(target).status(); }
  void expect_refused(const HttpAnswer& answer, int status, const std::string& field) {
    EXPECT_EQ(problem(answer, status, "invalid-request").value("field", ""), field) << answer.body;
  }
};

TEST_F(BrowserTest, PlainEventsHaveNoNameAndTheirTypeInTheData) {
  serve();
  ASSERT_EQ(append("a-1", {event_text("Added"), event_text("Removed")}).status, 201);
  SseClient plain = follow("/events?sse=plain");
  SseClient named = follow("/streams/a-1/events?sse=named");
  for (const char* type : {"Added", "Removed"}) {
    const auto event = plain.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->type, "") << "a line event: would keep it from onmessage";
    EXPECT_EQ(Json::parse(event->data)["type"], type);
    EXPECT_EQ(Json::parse(event->data)["position"], event->id);
    EXPECT_EQ(named.next()->type, type);
  }
  SseClient stream = follow("/streams/a-1/events?sse=plain", "Last-Event-ID: 1\r\n");
  EXPECT_EQ(stream.next()->id, 2u);
}

TEST_F(BrowserTest, OnlyServerSentEventsArePlain) {
  serve();
  EXPECT_EQ(status("/events?sse=loud"), 400);
  expect_refused(get("/events?sse=plain"), 400, "sse");
  expect_refused(get("/events?sse=plain", {{"Accept", "application/x-ndjson"}}), 400, "sse");
}

TEST_F(BrowserTest, ATicketFollowsWithTheRightsOfItsToken) {
  serve_with_tokens();
  ASSERT_EQ(append("order-1", {event_text("T")}).status, 201);
  const std::string mine = ticket(kOrders, "category=order");
  SseClient source = follow("/events?category=order&ticket=" + mine);
  ASSERT_EQ(source.status(), 200);
  EXPECT_EQ(source.next()->id, 1u);
  ASSERT_EQ(append("order-1", {event_text("T")}).status, 201);
  EXPECT_EQ(source.next()->id, 2u);
  EXPECT_EQ(follow("/events?ticket=" + mine + "&category=order", "Last-Event-ID: 1\r\n").next()->id, 2u)
      << "a reconnection";
  const std::string stream = ticket(kReader, "from=2&sse=plain", "/streams/order-1/events");
  EXPECT_EQ(follow("/streams/order-1/events?sse=plain&from=2&ticket=" + stream).next()->id, 2u);
}

TEST_F(BrowserTest, ATicketIsForItsPathAndQueryOnly) {
  serve_with_tokens();
  ASSERT_EQ(append("order-1", {event_text("T")}).status, 201);
  const std::string mine = ticket(kReader, "category=order&type=T");
  EXPECT_EQ(status("/events?type=%54&category=order&ticket=" + mine), 200)
      << "order and escapes do not matter";
  for (const char* target :
       {"/events?ticket=", "/events?category=order&ticket=", "/events?category=order&type=T&from=1&ticket=",
        "/events?category=other&type=T&ticket=", "/events?category=order&type=T&ticket=x&ticket=",
        "/events?category=order&type=T&ticket=x",
        "/events?category=order&type=T&not=", "/streams/order-1/events?category=order&type=T&ticket="}) {
    EXPECT_EQ(status(target + mine), 401) << target;
  }
}

TEST_F(BrowserTest, ATicketIsForServerSentEventsOnly) {
  serve_with_tokens();
  const std::string mine = ticket(kBoth, "");
  expect_unauthorized(nobody().get("/events?ticket=" + mine));
  expect_unauthorized(nobody().get("/events?ticket=" + mine, {{"Accept", "application/x-ndjson"}}));
  EXPECT_EQ(nobody().head("/events?ticket=" + mine).status, 401);
  for (const char* path : {"/status", "/streams", "/metrics", "/projections"}) {
    expect_unauthorized(
        nobody().get(std::string(path) + "?ticket=" + mine, {{"Accept", "text/event-stream"}}));
  }
  expect_unauthorized(nobody().post("/streams/a-1/events?ticket=" + mine, events_text({event_text("T")})));
  expect_unauthorized(as(mine).get("/events"));
  EXPECT_EQ(status("/events?ticket=" + mine), 200);
}

TEST_F(BrowserTest, OnlyATokenThatReadsGetsATicketAndOnlyForWhatItReaches) {
  serve_with_tokens();
  expect_unauthorized(nobody().post("/tickets", asked("/events", "")));
  expect_forbidden(as(kWriter).post("/tickets", asked("/events", "")), "read");
  expect_forbidden(as(kOrders).post("/tickets", asked("/events", "")), "category=");
  expect_forbidden(as(kOrders).post("/tickets", asked("/events", "category=other")), "other");
  expect_forbidden(as(kOrders).post("/tickets", asked("/streams/other-1/events", "")), "other");
}

TEST_F(BrowserTest, WhatEventSourceWouldBeRefusedForIsToldWithTheTicket) {
  serve_with_tokens();
  ApiClient reader = as(kReader);
  expect_refused(reader.post("/tickets", asked("/streams", "")), 400, "path");
  expect_refused(reader.post("/tickets", asked("/events/", "")), 400, "path");
  expect_refused(reader.post("/tickets", asked("events", "")), 400, "path");
  expect_refused(reader.post("/tickets", asked("/events?category=a", "")), 400, "path");
  expect_refused(reader.post("/tickets", asked("/streams/%zz/events", "")), 400, "path");
  expect_refused(reader.post("/tickets", "{}"), 400, "path");
  expect_refused(reader.post("/tickets", asked("/events", "a?b")), 400, "query");
  expect_refused(reader.post("/tickets", asked("/events", "categry=a")), 400, "categry");
  expect_refused(reader.post("/tickets", asked("/events", "untilTime=2026-01-01T00:00:00Z")), 400,
                 "untilTime");
  expect_refused(reader.post("/tickets", asked("/events", "ticket=x")), 400, "ticket");
  expect_refused(reader.post("/tickets", R"({"path":"/events","for":1})"), 400, "for");
  expect_refused(reader.post("/tickets", R"({"path":1})"), 400, "path");
  expect_refused(reader.post("/tickets", "[]"), 400, "body");
  expect_refused(reader.post("/tickets", "{"), 400, "body");
  expect_refused(reader.post("/tickets?path=/events", asked("/events", "")), 400, "path");
  problem(reader.post("/tickets", asked("/events", ""), "text/plain"), 415, "unsupported-media-type");
  problem(reader.post("/tickets", asked("/streams/none-1/events", "")), 404, "not-found");
  problem(reader.post("/tickets", asked("/events", "from=9")), 409, "other-history");
}

TEST_F(BrowserTest, ARevokedTokenEndsItsTicketsAndTheirFollowers) {
  serve_with_tokens();
  const std::string revoked = ticket(kReader, "");
  const std::string stays = ticket(kBoth, "");
  SseClient ends = follow("/events?ticket=" + revoked);
  SseClient goes_on = follow("/events?ticket=" + stays);
  ASSERT_EQ(ends.status(), 200);
  ASSERT_EQ(goes_on.status(), 200);
  std::filesystem::remove(tokens_path());
  write_tokens(line("both", kBoth, R"(["read","append"])"));
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("Reloaded " + tokens_path()));
  EXPECT_FALSE(ends.next());
  EXPECT_TRUE(ends.lost());
  EXPECT_EQ(status("/events?ticket=" + revoked), 401);
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  EXPECT_TRUE(goes_on.next());
}

TEST_F(BrowserTest, ARestartForgetsTickets) {
  serve_with_tokens();
  const std::string mine = ticket(kReader, "");
  ASSERT_EQ(status("/events?ticket=" + mine), 200);
  restart();
  EXPECT_EQ(status("/events?ticket=" + mine), 401);
}

TEST_F(BrowserTest, TicketsAreInNoLogLineAndNoAnswer) {
  const std::string access_log = (temp() / "access").string();
  serve({"--schemas", "optional", "--tokens", tokens_path(), "--access-log", access_log});
  const std::string mine = ticket(kReader, "category=a");
  ASSERT_EQ(status("/events?category=a&ticket=" + mine), 200);
  EXPECT_THAT(nobody().get("/events?category=a&ticket=" + mine).body, Not(HasSubstr(mine)));
  EXPECT_THAT(nobody().get("/events?category=b&ticket=" + mine, {{"Accept", "text/event-stream"}}).body,
              Not(HasSubstr(mine)));
  EXPECT_THAT(as(kBoth).get("/streams?ticket=" + mine).body, Not(HasSubstr(mine)));
  EXPECT_THAT(as(kBoth).get("/events?a?b&ticket=" + mine).body, Not(HasSubstr(mine)));
  const Finished finished = stop_server();
  EXPECT_THAT(finished.errors, HasSubstr("Refused GET /events from"));
  EXPECT_THAT(finished.errors, Not(HasSubstr(mine.substr(7))));
  const std::string accesses = *read_file(access_log);
  EXPECT_THAT(accesses, HasSubstr("/events?category=a&ticket=..."));
  EXPECT_THAT(accesses, Not(HasSubstr(mine.substr(7))));
}

TEST_F(BrowserTest, AServerWithoutTokensIssuesTicketsToo) {
  serve();
  const HttpAnswer answer = post("/tickets", asked("/events", ""));
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_THAT(answer.json().value("expiresAt", ""), ::testing::EndsWith("Z"));
  EXPECT_EQ(status("/events?ticket=" + answer.json().value("ticket", "")), 200);
  EXPECT_EQ(status("/events?from=1&ticket=" + answer.json().value("ticket", "")), 401);
}

TEST_F(BrowserTest, AnOriginIsNoWildcard) {
  for (const char* origin : {"*", "https://*.example", "null"}) {
    const Finished refused = try_to_serve({"--tokens", tokens_path(), "--cors-origin", origin});
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.errors, HasSubstr(std::string("'") + origin + "' is not an origin"));
  }
}

TEST_F(BrowserTest, APageOfANamedOriginFollowsWithItsTicket) {
  serve({"--schemas", "optional", "--tokens", tokens_path(), "--cors-origin", "https://app.example"});
  const std::string page = "Sec-Fetch-Site: cross-site\r\nOrigin: https://app.example\r\n";
  const std::string mine = ticket(kReader, "");
  SseClient source = follow("/events?ticket=" + mine, page);
  ASSERT_EQ(source.status(), 200);
  EXPECT_THAT(source.head(), HasSubstr("Access-Control-Allow-Origin: https://app.example\r\n"));
  SseClient foreign = follow("/events?ticket=" + mine, "Origin: https://evil.example\r\n");
  EXPECT_EQ(foreign.status(), 403);
}

TEST_F(BrowserTest, TheRootIsAPageForPeopleAndTheRegistrysForPrograms) {
  serve();
  const HttpAnswer page = get("/", {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_THAT(page.body, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page.body, Not(HasSubstr("PROJECT_VERSION")));
  for (std::size_t at = 0; (at = page.body.find("href=\"", at)) != std::string::npos;) {
    at += 6;
    std::string path = page.body.substr(at, page.body.find('"', at) - at);
    if (const auto escape = path.find("&amp;"); escape != std::string::npos) path.erase(escape + 1, 4);
    EXPECT_EQ(get(path).status, 200) << path;
  }
  EXPECT_EQ(get("/").body, "{}");
}

TEST_F(BrowserTest, TheRootNeedsATokenToo) {
  serve_with_tokens();
  expect_unauthorized(nobody().get("/", {{"Accept", "text/html"}}));
}

}  // namespace
}  // namespace cairn::test

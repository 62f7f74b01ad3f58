// Tokens that are read again while the server runs.

#include <sys/stat.h>

#include <csignal>
#include <string>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ReloadTest : public AccessTest {
 protected:
  static std::string reader() { return line("reader", kReader, R"(["read"])"); }
  static std::string both() { return line("both", kBoth, R"(["read","append"])"); }
  static std::string admin() { return line("admin", kAdmin, R"(["admin","read"])"); }

  void change_tokens(const std::string& text) {
    std::filesystem::remove(tokens_path());
    write_tokens(text);
  }
  void reload() {
    server().signal(SIGHUP);
    ASSERT_TRUE(server().complains("Reloaded " + tokens_path()));
  }
  SseClient follow_as(const char* token, const std::string& target = "/events") {
    return SseClient(port(), target, std::string("Authorization: Bearer ") + token + "\r\n");
  }
};

TEST_F(ReloadTest, SighupPutsTheTokenFileInForce) {
  change_tokens(both());
  serve_with_tokens();
  ApiClient added = as(kReader);
  expect_unauthorized(added.get("/ready"));
  change_tokens(both() + reader());
  reload();
  EXPECT_EQ(added.get("/ready").status, 200);
  EXPECT_EQ(as(kBoth).get("/ready").status, 200);
}

TEST_F(ReloadTest, RevokedTokensEndTheirFollowersAndNoOthers) {
  change_tokens(both() + reader());
  serve_with_tokens();
  SseClient revoked = follow_as(kReader);
  SseClient stays = follow_as(kBoth);
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  ASSERT_TRUE(revoked.next() && stays.next());
  ApiClient keeps_its_connection = as(kReader);
  ASSERT_EQ(keeps_its_connection.get("/ready").status, 200);

  change_tokens(both());
  reload();
  EXPECT_FALSE(revoked.next());
  EXPECT_TRUE(revoked.lost()) << "the connection is closed, and not the wait over";
  expect_unauthorized(keeps_its_connection.get("/ready"));
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  EXPECT_TRUE(stays.next());
}

TEST_F(ReloadTest, AFollowerThatDoesNotReadIsEndedToo) {
  change_tokens(both() + reader());
  serve_with_tokens();
  const std::string large = "\"" + std::string(1u << 20, 'x') + "\"";
  for (int i = 0; i < 8; ++i) ASSERT_EQ(append("a-1", {event_text("T", large)}).status, 201);
  SseClient stalled(port(), "/events", std::string("Authorization: Bearer ") + kReader + "\r\n", 4096);
  ASSERT_EQ(stalled.status(), 200);
  change_tokens(both());
  reload();
  // The connection of the fixture's client is the only one that is left, before anything more is read.
  const auto only_one_is_left = [this] {
    return get("/metrics").body.find("\ncairn_http_connections 1\n") != std::string::npos;
  };
  const auto give_up_at = std::chrono::steady_clock::now() + RawClient::kPatience;
  while (!only_one_is_left() && std::chrono::steady_clock::now() < give_up_at) {
  }
  EXPECT_TRUE(only_one_is_left());
  int events = 0;
  while (stalled.next()) ++events;
  EXPECT_TRUE(stalled.lost());
  EXPECT_LT(events, 8);
}

TEST_F(ReloadTest, ATokenWithOtherCategoriesEndsItsFollowers) {
  change_tokens(both() + line("reader", kReader, R"(["read"])", R"(,"categories":["a","b"])"));
  serve_with_tokens();
  SseClient narrowed = follow_as(kReader, "/events?category=a");
  ASSERT_EQ(narrowed.status(), 200);
  change_tokens(both() + line("reader", kReader, R"(["read"])", R"(,"categories":["b"])"));
  reload();
  EXPECT_FALSE(narrowed.next());
  EXPECT_TRUE(narrowed.lost());
}

TEST_F(ReloadTest, AReloadThatFailsChangesNothingAndSaysWhy) {
  change_tokens(both() + admin());
  serve_with_tokens();
  SseClient follower = follow_as(kBoth);
  ASSERT_EQ(follower.status(), 200);
  change_tokens(reader() + "{\"name\":\n");
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("The reload failed, and nothing has changed: "));
  EXPECT_TRUE(server().complains(tokens_path()));
  const Json refusal = problem(as(kAdmin).post("/reload", ""), 409, "reload-failed");
  EXPECT_THAT(refusal["detail"].get<std::string>(), HasSubstr(tokens_path()));
  std::filesystem::remove(tokens_path());
  problem(as(kAdmin).post("/reload", ""), 409, "reload-failed");
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  EXPECT_TRUE(follower.next());
  expect_unauthorized(as(kReader).get("/ready"));
}

TEST_F(ReloadTest, AFileWithoutTokensAndAPipeAreRefused) {
  change_tokens(both() + admin());
  serve_with_tokens();
  change_tokens("# nothing yet\n");
  const Json empty = problem(as(kAdmin).post("/reload", ""), 409, "reload-failed");
  EXPECT_THAT(empty["detail"].get<std::string>(), HasSubstr("has no token"));
  std::filesystem::remove(tokens_path());
  ASSERT_EQ(::mkfifo(tokens_path().c_str(), 0600), 0);
  const Json pipe = problem(as(kAdmin).post("/reload", ""), 409, "reload-failed");
  EXPECT_THAT(pipe["detail"].get<std::string>(), HasSubstr("not a regular file"));
  EXPECT_EQ(as(kBoth).get("/ready").status, 200);
}

TEST_F(ReloadTest, AdminsReloadByHttpAndAreAudited) {
  change_tokens(both() + admin() +
                line("orders-admin", kOrdersAdmin, R"(["admin"])", R"(,"categories":["order"])"));
  serve_with_tokens();
  expect_unauthorized(nobody().post("/reload", ""));
  expect_forbidden(as(kBoth).post("/reload", ""), "admin");
  expect_forbidden(as(kOrdersAdmin).post("/reload", ""), "categor");
  problem(as(kAdmin).post("/reload?now=true", ""), 400, "invalid-request");
  EXPECT_EQ(head(), 0u) << "a refused reload is not written down";
  change_tokens(both() + admin() + reader());
  const HttpAnswer answer = as(kAdmin).post("/reload", "");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"tokens":3,"certificate":false})");
  EXPECT_EQ(as(kReader).get("/ready").status, 200);
  const Json event = get("/events").json()["events"][0];
  EXPECT_EQ(event["stream"], "$audit");
  EXPECT_EQ(event["type"], "ServerReloaded");
  EXPECT_EQ(event["data"].dump(), R"({"by":"admin","certificate":false,"tokens":3})");
}

TEST_F(ReloadTest, WithoutTokensSighupDoesNoHarm) {
  serve();
  RawClient open = raw();
  ASSERT_EQ(open.get("/health").status, 200);
  SseClient follower(port(), "/events");
  ASSERT_EQ(follower.status(), 200);
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("Reloaded: the server has neither tokens nor a certificate"));
  EXPECT_EQ(open.get("/health").status, 200);
  EXPECT_EQ(post("/reload", "").body, R"({"tokens":null,"certificate":false})");
  EXPECT_TRUE(follower.next()) << "the event in $audit";
  EXPECT_EQ(stop_server().exit_code, 0);
}

}  // namespace
}  // namespace cairn::test

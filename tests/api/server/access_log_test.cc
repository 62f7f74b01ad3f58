// The access log: a line for each answered request, and never a secret.

#include <sys/stat.h>
#include <algorithm>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/log_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class AccessLogTest : public AccessTest {
 protected:
  std::string log_path() const { return (temp() / "access.log").string(); }
  void serve_logged(std::vector<std::string> more = {}) {
    send_always({{"Authorization", std::string("Bearer ") + kBoth}});
    more.insert(more.end(), {"--schemas", "optional", "--tokens", tokens_path(), "--access-log", log_path()});
    serve(std::move(more));
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // The lines about requests with this id. REQUIRES: the server has stopped.
  std::vector<Json> lines_of(const std::string& request_id) const {
    std::vector<Json> found;
    for (const Json& line : json_lines(text_of(log_path()))) {
      if (line.value("requestId", "") == request_id) found.push_back(line);
    }
    return found;
  }
};

TEST_F(AccessLogTest, IsOffByDefault) {
  serve_with_tokens();
  EXPECT_EQ(get("/ready").status, 200);
  EXPECT_THAT(stop_server().errors, Not(HasSubstr("/ready")));
}

TEST_F(AccessLogTest, EachRequestHasALineWithNameStatusBytesAndTime) {
  serve_logged({"--log-format", "json"});
  EXPECT_EQ(client().get("/streams/none/events?limit=1", {{"X-Request-Id", "one"}}).status, 404);
  EXPECT_EQ(nobody().get("/streams", {{"X-Request-Id", "two"}}).status, 401);
  stop_server();
  const auto one = lines_of("one");
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].value("remote", ""), "127.0.0.1");
  EXPECT_EQ(one[0].value("token", ""), "both");
  EXPECT_EQ(one[0].value("method", ""), "GET");
  EXPECT_EQ(one[0].value("path", ""), "/streams/none/events?limit=1");
  EXPECT_EQ(one[0].value("status", 0), 404);
  EXPECT_GT(one[0].value("bytes", 0), 100);
  EXPECT_GE(one[0].value("durationMs", -1.0), 0);
  const auto two = lines_of("two");
  ASSERT_THAT(two, SizeIs(1));
  EXPECT_EQ(two[0].value("token", "?"), "");
  EXPECT_EQ(two[0].value("status", 0), 401);
}

TEST_F(AccessLogTest, TheTextFormIsTheCommonLogFormat) {
  serve_logged();
  client().get("/ready", {{"X-Request-Id", "a\\\"b"}});
  stop_server();
  EXPECT_THAT(text_of(log_path()), HasSubstr(" \"a\\x5c\\x22b\"\n"));
  EXPECT_THAT(
      text_of(log_path()),
      ::testing::ContainsRegex("\n?127\\.0\\.0\\.1 - both \\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} "
                               "\\+0000\\] \"GET /ready HTTP/1\\.1\" 200 [0-9]+ [0-9]\\.[0-9]{6} \""));
}

TEST_F(AccessLogTest, NeitherTokensNorTicketsAreWritten) {
  serve_logged({"--log-format", "json"});
  client().get("/events?limit=1&ticket=hunter2&x=2", {{"X-Request-Id", "one"}});
  client().get("/events?%74icket=hunter2", {{"X-Request-Id", "two"}});
  client().get("/events?a=1?ticket=hunter2", {{"X-Request-Id", "three"}});
  stop_server();
  EXPECT_THAT(text_of(log_path()), Not(HasSubstr("hunter2")));
  EXPECT_THAT(text_of(log_path()), Not(HasSubstr("cairn_both")));
  ASSERT_THAT(lines_of("one"), SizeIs(1));
  EXPECT_EQ(lines_of("one")[0].value("path", ""), "/events?limit=1&ticket=...&x=2");
}

TEST_F(AccessLogTest, AStreamHasItsLineWhenItEnds) {
  serve_logged({"--log-format", "json"});
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  {
    SseClient follower(port(), "/events",
                       std::string("Authorization: Bearer ") + kBoth + "\r\nX-Request-Id: follow\r\n");
    ASSERT_TRUE(follower.next());
    stop_server();
  }
  const auto line = lines_of("follow");
  ASSERT_THAT(line, SizeIs(1));
  EXPECT_EQ(line[0].value("status", 0), 200);
}

TEST_F(AccessLogTest, MalformedRequestsHaveALineToo) {
  serve_logged({"--log-format", "json"});
  EXPECT_EQ(raw().exchange("GARBAGE\r\n\r\n").status, 400);
  stop_server();
  const auto lines = json_lines(text_of(log_path()));
  // Connections log in no order of their own.
  const auto refused = std::find_if(lines.begin(), lines.end(),
                                    [](const auto& line) { return line.value("status", 0) == 400; });
  ASSERT_NE(refused, lines.end());
  EXPECT_EQ(refused->value("path", "?"), "");
}

TEST_F(AccessLogTest, TheFileIsForItsOwnerAndIsOpenedAgainOnSighup) {
  serve_logged({"--log-format", "json"});
  client().get("/ready", {{"X-Request-Id", "before"}});
  struct stat about {};
  ASSERT_EQ(::stat(log_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  const std::string moved = log_path() + ".1";
  std::filesystem::rename(log_path(), moved);
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("\"reloaded\""));
  client().get("/ready", {{"X-Request-Id", "after"}});
  stop_server();
  EXPECT_THAT(lines_of("after"), SizeIs(1));
  EXPECT_THAT(lines_of("before"), IsEmpty());
  EXPECT_THAT(text_of(moved), HasSubstr("\"before\""));
  EXPECT_THAT(text_of(moved), Not(HasSubstr("\"after\"")));
}

TEST_F(AccessLogTest, AFileThatCannotBeOpenedIsAnErrorAtTheStartAndALineLater) {
  const Finished refused = try_to_serve({"--listen", "127.0.0.1:0", "--access-log", "/nowhere/access.log"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("Cannot start: opening /nowhere/access.log: No such file"));

  const std::filesystem::path place = temp() / "logs";
  std::filesystem::create_directory(place);
  serve({"--log-format", "json", "--access-log", (place / "a").string()});
  std::filesystem::rename(place, temp() / "moved");
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("\"access-log-reopen-failed\""));
  get("/ready");
  const Json line = line_with(stop_server().errors, "access-log-reopen-failed");
  EXPECT_EQ(line.value("file", ""), (place / "a").string());
  EXPECT_THAT(text_of((temp() / "moved" / "a").string()), HasSubstr("/ready"))
      << "the file before is used on";
}

TEST_F(AccessLogTest, AFullDiskDropsLinesAndCountsThem) {
  serve({"--log-format", "json", "--access-log", "/dev/full"});
  for (int i = 0; i < 20; ++i) ASSERT_EQ(get("/health").status, 200);
  ASSERT_TRUE(server().complains("\"access-lines-dropped\""));
  EXPECT_THAT(get("/metrics").body, Not(HasSubstr("cairn_log_lines_dropped_total{log=\"access\"} 0\n")));
  const Json line = line_with(stop_server().errors, "access-lines-dropped");
  EXPECT_GE(line.value("lines", 0), 1);
  EXPECT_EQ(line.value("file", ""), "/dev/full");
  EXPECT_EQ(line.value("error", ""), "No space left on device");
}

TEST_F(AccessLogTest, ADashWritesToTheLogItself) {
  serve({"--log-format", "json", "--access-log", "-"});
  get("/health");
  const auto lines = lines_with(stop_server().errors, "access");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().value("path", ""), "/health");
  EXPECT_EQ(lines.back().value("level", ""), "info");
}

}  // namespace
}  // namespace cairn::test

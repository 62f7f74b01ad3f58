// `cairn stats counts` with a scripted server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kFirst[] = R"({"name":"customer:7","events":12})";
constexpr char kSecond[] = R"({"name":"größe \"x\"","events":1234567})";

class StatsTest : public ::testing::Test {
 protected:
  void script(std::vector<ScriptedServer::Reply> replies) {
    server_ = std::make_unique<ScriptedServer>(std::move(replies));
  }
  static ScriptedServer::Reply page(const std::string& counts, const std::string& next = "null") {
    return ScriptedServer::answer(
        200, R"({"by":"tag","head":4711,"counts":[)" + counts + R"(],"next":)" + next + "}");
  }
  Finished counts(std::vector<std::string> words, unsigned short terminal_width = 0) const {
    words.insert(words.begin(), {"stats", "counts"});
    words.insert(words.end(), {"--url", server_->url()});
    ProcessOptions options;
    options.terminal_width = terminal_width;
    return run_cairn(words, options);
  }
  // The first line of a request.
  std::string asked(std::size_t request) const {
    const std::vector<std::string> all = server_->requests();
    return request < all.size() ? all[request].substr(0, all[request].find(" HTTP/")) : "";
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(StatsTest, APipeGetsAllPagesUnchanged) {
  script({page(kFirst, R"("customer:7")"), page(kSecond)});
  const Finished done = counts({"--by", "tag"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, std::string(kFirst) + "\n" + kSecond + "\n");
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_EQ(asked(0), "GET /stats/counts?by=tag&limit=1000");
  EXPECT_EQ(asked(1), "GET /stats/counts?by=tag&after=customer%3A7&limit=1000");
}

TEST_F(StatsTest, ATerminalGetsOneTableOfAllPages) {
  script({page(kFirst, R"("customer:7")"), page(kSecond), page(kFirst)});
  EXPECT_EQ(counts({"--by", "tag"}, 40).output,
            "        EVENTS  TAG\r\n"
            "            12  customer:7\r\n"
            "     1,234,567  größe \"x\"\r\n");
  EXPECT_EQ(counts({"--json"}, 40).output, std::string(kFirst) + "\r\n");
}

TEST_F(StatsTest, ALongNameIsShortenedAndHasNoControlCharacters) {
  script({page(R"({"name":"\u001b[31m0123456789","events":1})")});
  EXPECT_EQ(counts({}, 26).output,
            "        EVENTS  CATEGORY\r\n"
            "             1  ?[31m0123…\r\n");
}

TEST_F(StatsTest, ALimitIsKeptOverPages) {
  script({page(kFirst, R"("customer:7")"), page(kSecond, R"("x")")});
  EXPECT_EQ(counts({"--limit", "2", "--prefix", "a b"}).exit_code, 0);
  EXPECT_EQ(asked(0), "GET /stats/counts?by=category&prefix=a%20b&limit=2");
  EXPECT_EQ(asked(1), "GET /stats/counts?by=category&prefix=a%20b&after=customer%3A7&limit=1");
  EXPECT_THAT(server_->requests(), SizeIs(2));
}

TEST_F(StatsTest, ARefusalIsExitCodeOne) {
  script(
      {page(kFirst, R"("customer:7")"),
       ScriptedServer::answer(
           503, R"({"type":"/problems/not-yet","title":"Not yet","status":503,"detail":"It is rebuilt."})")});
  const Finished refused = counts({"--by", "type"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.output, std::string(kFirst) + "\n");
  EXPECT_EQ(refused.errors, "cairn: It is rebuilt. (503 not-yet)\n");
}

// Otherwise the connection to the server would get the descriptor, and the output.
TEST_F(StatsTest, AClosedOutputIsAFailureAndReachesNobody) {
  script({page(kFirst), page(kSecond)});
  const std::string command =
      "exec " + test_program("cairn").string() + " stats counts --url " + server_->url() + " >&-";
  ChildProcess shell({{"/bin/sh", "-c", command}, {}});
  shell.close_input();
  EXPECT_EQ(shell.wait().code, 1);
  for (const std::string& request : server_->requests()) EXPECT_THAT(request, Not(HasSubstr("events\":12")));
}

TEST_F(StatsTest, WrongUsageIsExitCodeTwo) {
  script({});
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--by", "stream"}, {"--by", ""}, {"--limit", "0"}, {"--limit", "many"}, {"tag"}}) {
    EXPECT_EQ(counts(words).exit_code, 2) << ::testing::PrintToString(words);
  }
  EXPECT_THAT(counts({"--by", "stream"}).errors, HasSubstr("category"));
  EXPECT_THAT(server_->requests(), IsEmpty());
  EXPECT_EQ(run_cairn({"stats"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"stats", "counts", "--url", "http://127.0.0.1:1"}).exit_code, 3);
}

}  // namespace
}  // namespace cairn::test

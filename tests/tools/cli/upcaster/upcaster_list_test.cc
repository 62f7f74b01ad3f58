// `cairn upcaster list` and `show` with a scripted server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Reply = ScriptedServer::Reply;

constexpr char kList[] =
    R"({"upcasters":[{"type":"Order","from":1,"to":2,"revision":1,"fingerprint":"0123456789abcdef0123456789abcdef",)"
    R"("position":7,"installedAt":"2026-11-16T20:55:35.123456Z"},{"type":"Shipped","from":10,"to":11,"revision":12,)"
    R"("fingerprint":"fedcba98765432100123456789abcdef","position":8,"installedAt":"2026-11-17T20:55:35.123456Z"}]})";

constexpr char kOrderSchema[] =
    R"({"type":"Order","latestVersion":3,"upcasters":[{"type":"Order","from":1,"to":2,"revision":1,"fingerprint":"f1",)"
    R"("installedAt":"t1","produces":[],"source":"-- the first\n"},{"type":"Order","from":2,"to":3,"revision":4,)"
    R"("fingerprint":"f2","installedAt":"t2","produces":[],"source":"-- the second"}]})";

constexpr char kNone[] = R"({"type":"/problems/not-found","title":"Not found","status":404,"detail":"no"})";

class UpcasterListTest : public ::testing::Test {
 protected:
  void script(std::vector<Reply> replies) { server_ = std::make_unique<ScriptedServer>(std::move(replies)); }

  Finished run(std::vector<std::string> words) const {
    words.insert(words.begin(), "upcaster");
    words.insert(words.end(), {"--url", server_->url()});
    return run_cairn(words);
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(UpcasterListTest, AllAreListed) {
  script({ScriptedServer::answer(200, kList), ScriptedServer::answer(200, kList)});
  const Finished done = run({"list"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output,
            "TYPE     FROM  TO  REVISION  FINGERPRINT   INSTALLED\n"
            "Order    1     2   1         0123456789ab  2026-11-16T20:55:35.123456Z\n"
            "Shipped  10    11  12        fedcba987654  2026-11-17T20:55:35.123456Z\n");
  EXPECT_EQ(run({"list", "--json"}).output, std::string(kList) + "\n");
  EXPECT_THAT(server_->requests()[0], StartsWith("GET /upcasters HTTP/1.1\r\n"));
}

TEST_F(UpcasterListTest, AnEmptyListIsReported) {
  script({ScriptedServer::answer(200, R"({"upcasters":[]})"), ScriptedServer::answer(200, "<html>")});
  const Finished none = run({"list"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.output, IsEmpty());
  EXPECT_EQ(none.errors, "No upcaster is installed.\n");
  const Finished foreign = run({"list"});
  EXPECT_EQ(foreign.exit_code, 1);
  EXPECT_THAT(foreign.errors, HasSubstr("the answer is not a Cairn server's"));
}

TEST_F(UpcasterListTest, SourcesAreShown) {
  script(std::vector<Reply>(4, ScriptedServer::answer(200, kOrderSchema)));
  const Finished all = run({"show", "Order"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.output, "-- the first\n-- the second\n");
  EXPECT_EQ(all.errors,
            "Order 1 → 2, revision 1, fingerprint f1, installed t1\n"
            "Order 2 → 3, revision 4, fingerprint f2, installed t2\n");
  EXPECT_EQ(run({"show", "Order", "2"}).output, "-- the second\n");
  EXPECT_EQ(run({"show", "Order", "--json"}).output, std::string(kOrderSchema) + "\n");
  EXPECT_EQ(run({"show", "Order", "2", "--json"}).output,
            R"({"type":"Order","from":2,"to":3,"revision":4,"fingerprint":"f2","installedAt":"t2",)"
            R"("produces":[],"source":"-- the second"})"
            "\n");
}

TEST_F(UpcasterListTest, AMissingUpcasterIsExitCodeOne) {
  script({ScriptedServer::answer(200, kOrderSchema), ScriptedServer::answer(404, kNone)});
  const Finished no = run({"show", "Order", "3"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_EQ(no.errors, "cairn: there is no upcaster for 'Order' that leads from version 3\n");
  const Finished none = run({"show", "a b"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.errors, "cairn: there is no upcaster for 'a b'\n");
  EXPECT_THAT(server_->requests()[1], StartsWith("GET /upcasters/a%20b HTTP/1.1\r\n"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"show"}, {"show", "Order", "0"}, {"show", "Order", "x"}}) {
    EXPECT_EQ(run(words).exit_code, 2) << ::testing::PrintToString(words);
  }
}

TEST_F(UpcasterListTest, AnUnreachableServerIsExitCodeThree) {
  EXPECT_EQ(run_cairn({"upcaster", "list", "--url", "http://127.0.0.1:1"}).exit_code, 3);
  EXPECT_EQ(run_cairn({"upcaster", "show", "Order", "--url", "http://127.0.0.1:1"}).exit_code, 3);
}

}  // namespace
}  // namespace cairn::test

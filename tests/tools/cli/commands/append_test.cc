#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eventstore/base/file.h"
#include "eventstore/base/uuid.h"
#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kStored =
    R"({"stream":"order-1","firstVersion":3,"lastVersion":3,"firstPosition":17,"lastPosition":17,"alreadyApplied":false})";
const std::string kRepeated =
    R"({"stream":"order-1","firstVersion":3,"lastVersion":3,"firstPosition":17,"lastPosition":17,"alreadyApplied":true})";
const std::string kEventId = "0191b2c4-0000-7000-8000-000000000001";

// `cairn append` with a scripted server.
class AppendTest : public ::testing::Test {
 protected:
  void script(std::vector<ScriptedServer::Reply> replies) {
    server_ = std::make_unique<ScriptedServer>(std::move(replies));
  }

  Finished append(std::vector<std::string> words, ProcessOptions options = {}) const {
    words.insert(words.begin(), "append");
    options.variables.emplace_back("CAIRN_URL", server_->url());
    return run_cairn(words, options);
  }

  std::string body(std::size_t request) const {
    const std::string text = server_->requests().at(request);
    return text.substr(text.find("\r\n\r\n") + 4);
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(AppendTest, PrintsTheVersionOfTheStream) {
  script({ScriptedServer::answer(201, kStored)});
  const Finished done = append({"order-1", "--type", "Placed", "--data", "{}"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "order-1 is at version 3 (position 17)\n");
  EXPECT_THAT(done.errors, IsEmpty());
}

TEST_F(AppendTest, TheRequestHasAllOptions) {
  script({ScriptedServer::answer(201, kStored)});
  append({"--tag", "a", "--tag", "b\"c", "order/1 ä", "--type", "Placed", "--data",
          R"({"n": 12345678901234567890.1000, "e": 1E400})", "--metadata", R"({"by":"me"})", "--expect", "2",
          "--id", kEventId, "--caused-by", "18446744073709551615"});
  EXPECT_THAT(server_->requests()[0], StartsWith("POST /streams/order%2F1%20%C3%A4/events HTTP/1.1\r\n"));
  EXPECT_EQ(body(0), R"({"expectedVersion":2,"causedBy":18446744073709551615,"events":[{"id":")" + kEventId +
                         R"(","type":"Placed","data":{"n": 12345678901234567890.1000, "e": 1E400},)" +
                         R"("metadata":{"by":"me"},"tags":["a","b\"c"]}]})");
}

TEST_F(AppendTest, DataComesFromAFileOrFromStdin) {
  script({ScriptedServer::answer(201, kStored), ScriptedServer::answer(201, kStored)});
  const TempFolder folder;
  ASSERT_THAT(write_file(folder / "d.json", "[1]\n"), succeeds());
  EXPECT_EQ(append({"s", "--type", "T", "--data", "@" + (folder / "d.json").string()}).exit_code, 0);
  EXPECT_EQ(append({"s", "--type", "T", "--data", "-"}, {.input = "\"in\"", .variables = {}}).exit_code, 0);
  EXPECT_EQ(json::parse(body(0))["events"][0]["data"], json({1}));
  EXPECT_EQ(json::parse(body(1))["events"][0]["data"], "in");
}

TEST_F(AppendTest, ALostConnectionIsRetriedOnceWithTheSameId) {
  script({ScriptedServer::hang_up(), ScriptedServer::answer(200, kRepeated)});
  const Finished done = append({"order-1", "--type", "Placed", "--data", "{}"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "order-1: already applied, as version 3 (position 17)\n");
  ASSERT_THAT(server_->requests(), SizeIs(2));
  EXPECT_EQ(body(0), body(1));
  EXPECT_TRUE(Uuid::parse(json::parse(body(0))["events"][0]["id"].get<std::string>()));
}

TEST_F(AppendTest, AfterTwoLossesTheIdIsPrinted) {
  script({ScriptedServer::hang_up(), ScriptedServer::hang_up()});
  const Finished lost = append({"order-1", "--type", "Placed", "--data", "{}", "--id", kEventId});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.errors, HasSubstr("--id " + kEventId));
  EXPECT_THAT(lost.output, IsEmpty());
}

TEST_F(AppendTest, AnUnreachableServerIsExitCodeThree) {
  script({});
  const std::string url = server_->url();
  server_.reset();
  const Finished lost = run_cairn({"append", "s", "--type", "T", "--data", "1", "--url", url});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.errors, HasSubstr(url + ": no server answers there"));
  EXPECT_THAT(lost.errors, Not(HasSubstr("--id")));
}

TEST_F(AppendTest, ARefusalIsPrintedAndIsExitCodeOne) {
  const std::string problem =
      R"({"type":"/problems/invalid-data","title":"t","status":422,"detail":"the data does not fit",)"
      R"("errors":[{"event":0,"path":"/total","expected":"a number","found":"\"x\""}]})";
  script({ScriptedServer::answer(422, problem), ScriptedServer::answer(422, problem)});
  const Finished refused = append({"s", "--type", "T", "--data", "1"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.errors,
            "cairn: the data does not fit (422 invalid-data)\n"
            "  event 0 at /total: expected a number, found \"x\"\n");
  const Finished machine = append({"s", "--type", "T", "--data", "1", "--json"});
  EXPECT_EQ(machine.exit_code, 1);
  EXPECT_EQ(machine.output, problem + "\n");
}

TEST_F(AppendTest, TheAnswerOfAnotherServerIsAFailure) {
  script({ScriptedServer::answer(200, "<html>\nhello", "text/html"), ScriptedServer::answer(502, "\033[2J")});
  const Finished odd = append({"s", "--type", "T", "--data", "1"});
  EXPECT_EQ(odd.exit_code, 1);
  EXPECT_EQ(odd.errors, "cairn: the server answered 200: <html>?hello\n");
  EXPECT_EQ(append({"s", "--type", "T", "--data", "1"}).errors, "cairn: the server answered 502: ?[2J\n");
}

TEST_F(AppendTest, TheTokenComesFromAFileOrAVariable) {
  script({ScriptedServer::answer(201, kStored), ScriptedServer::answer(201, kStored)});
  const TempFolder folder;
  ASSERT_THAT(write_file(folder / "t", "cairn_file\n"), succeeds());
  const ProcessOptions variable{.input = "", .variables = {{"CAIRN_TOKEN", "cairn_variable"}}};
  append({"s", "--type", "T", "--data", "1"}, variable);
  append({"s", "--type", "T", "--data", "1", "--token-file", (folder / "t").string()}, variable);
  EXPECT_THAT(server_->requests(), ElementsAre(HasSubstr("\r\nAuthorization: Bearer cairn_variable\r\n"),
                                               HasSubstr("\r\nAuthorization: Bearer cairn_file\r\n")));
}

TEST_F(AppendTest, AVariableMayNameAFileWithTheToken) {
  script({ScriptedServer::answer(201, kStored), ScriptedServer::answer(201, kStored),
          ScriptedServer::answer(201, kStored)});
  const TempFolder folder;
  const std::filesystem::path file = folder / "t";
  ASSERT_THAT(write_file(file, "cairn_file\n"), succeeds());
  const auto with = [&](const std::string& token, const std::string& token_file) {
    return append({"s", "--type", "T", "--data", "1"},
                  {.input = "", .variables = {{"CAIRN_TOKEN", token}, {"CAIRN_TOKEN_FILE", token_file}}});
  };
  EXPECT_THAT(with("", file.string()).errors, IsEmpty());
  with("cairn_variable", "");
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  EXPECT_EQ(with("", file.string()).errors, "cairn: warning: CAIRN_TOKEN_FILE: " + file.string() +
                                                " can be read by other users; chmod 600 restricts it to its "
                                                "owner.\n");
  EXPECT_THAT(server_->requests(), ElementsAre(HasSubstr("\r\nAuthorization: Bearer cairn_file\r\n"),
                                               HasSubstr("\r\nAuthorization: Bearer cairn_variable\r\n"),
                                               HasSubstr("\r\nAuthorization: Bearer cairn_file\r\n")));
}

TEST_F(AppendTest, AnAmbiguousOrUnreadableTokenIsNotSent) {
  script({});
  const auto refused = [&](const std::string& token, const std::string& token_file) {
    const Finished finished =
        append({"s", "--type", "T", "--data", "1"},
               {.input = "", .variables = {{"CAIRN_TOKEN", token}, {"CAIRN_TOKEN_FILE", token_file}}});
    EXPECT_EQ(finished.exit_code, 2);
    return finished.errors;
  };
  EXPECT_EQ(refused("a", "/nowhere"),
            "cairn: CAIRN_TOKEN and CAIRN_TOKEN_FILE are both set; only one of them can count\n");
  EXPECT_EQ(refused("", "/nowhere"),
            "cairn: CAIRN_TOKEN_FILE: opening /nowhere: No such file or directory\n");
  EXPECT_EQ(refused("", "/dev/null"), "cairn: CAIRN_TOKEN_FILE: /dev/null is empty\n");
}

TEST_F(AppendTest, AnInvalidRequestIsNotSent) {
  script({});
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"s", "--type", "T", "--data", "{"},
                                             {"s", "--type", "T", "--data", ""},
                                             {"s", "--type", "T", "--data", "@/nowhere"},
                                             {"s", "--type", "T", "--data", "1", "--metadata", "x"},
                                             {"s", "--type", "T", "--data", "1", "--expect", "-1"},
                                             {"s", "--type", "T", "--data", "1", "--expect", "some"},
                                             {"s", "--type", "T", "--data", "1", "--id", "7"},
                                             {"s", "--type", "T", "--data", "1", "--url", "localhost"},
                                             {"s", "--type", "T", "--data", "1", "--token-file", "/nowhere"},
                                             {"s", "--type", "T"},
                                             {"s", "--data", "1"},
                                             {"--type", "T", "--data", "1"}}) {
    const Finished refused = append(words);
    EXPECT_EQ(refused.exit_code, 2) << ::testing::PrintToString(words);
    EXPECT_THAT(refused.errors, Not(IsEmpty()));
  }
  EXPECT_THAT(server_->requests(), IsEmpty());
}

}  // namespace
}  // namespace cairn::test

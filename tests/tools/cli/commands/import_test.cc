#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// The answer to a request with one stream.
ScriptedServer::Reply stored(std::uint64_t last_version, bool repeated = false) {
  const json body = {
      {"results", {{{"stream", "s"}, {"lastVersion", last_version}, {"alreadyApplied", repeated}}}}};
  return ScriptedServer::answer(repeated ? 200 : 201, body.dump());
}

ScriptedServer::Reply refused(int status, const std::string& slug, const std::string& field = "") {
  json body = {{"type", "/problems/" + slug}, {"title", "No"}, {"status", status}, {"detail", "because"}};
  if (!field.empty()) body["field"] = field;
  return ScriptedServer::answer(status, body.dump());
}

std::string line(int n) { return R"({"stream":"s","type":"T","data":)" + std::to_string(n) + "}\n"; }

// `cairn import` with a scripted server.
class ImportTest : public ::testing::Test {
 protected:
  // The types of a file are looked up before its first batch.
  static ScriptedServer::Reply known() { return ScriptedServer::answer(200, R"(["T"])"); }

  void script(std::vector<ScriptedServer::Reply> replies) {
    server_ = std::make_unique<ScriptedServer>(std::move(replies));
  }

  Finished import(const std::string& content, const std::vector<std::string>& more = {}) const {
    EXPECT_THAT(write_file(path_, content), succeeds());
    std::vector<std::string> words = {"import", path_.string(), "--url", server_->url()};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }

  // The requests to append.
  std::vector<std::string> appends() const {
    std::vector<std::string> found = server_->requests();
    std::erase_if(found, [](const std::string& one) { return !one.starts_with("POST "); });
    return found;
  }
  json body(std::size_t request) const {
    const std::string text = appends().at(request);
    return json::parse(text.substr(text.find("\r\n\r\n") + 4));
  }
  // The data of the events in a request's first stream.
  json data(std::size_t request) const {
    auto all = json::array();
    const json whole = body(request);
    for (const json& event : whole["appends"][0]["events"]) all.push_back(event["data"]);
    return all;
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "in.ndjson";
  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(ImportTest, LinesGoInBatches) {
  script({known(), stored(2), stored(4), stored(5)});
  const Finished done = import(line(1) + line(2) + "\n" + line(3) + line(4) + line(5), {"--batch", "2"});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "5 events imported\n");
  EXPECT_THAT(done.errors, IsEmpty());
  EXPECT_THAT(appends()[0], StartsWith("POST /append HTTP/1.1\r\n"));
  EXPECT_EQ(data(0), json({1, 2}));
  EXPECT_EQ(data(1), json({3, 4}));
  EXPECT_EQ(data(2), json({5}));
  EXPECT_EQ(body(2)["appends"][0]["expectedVersion"], "any");
}

TEST_F(ImportTest, StdinIsAFileTooAndTheLastLineNeedsNoEnd) {
  script({stored(2)});
  const std::string content = line(1) + line(2);
  const Finished done = run_cairn({"import", "-", "--url", server_->url(), "--json"},
                                  {.input = content.substr(0, content.size() - 1)});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(json::parse(done.output),
            json({{"lines", 2}, {"appended", 2}, {"alreadyApplied", 0}, {"passedOver", 0}}));
}

// A whole log has system streams; each store keeps its own.
TEST_F(ImportTest, SystemStreamsAreSkipped) {
  script({known(), stored(2)});
  const std::string own =
      R"({"position":1,"stream":"$schemas","version":1,"type":"SchemaRegistered","data":{}})"
      "\n";
  const Finished done = import(own + line(1) + own + line(2));
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "2 events imported, 2 of Cairn's own streams ($…) skipped\n");
  EXPECT_EQ(data(0), json({1, 2}));
}

TEST_F(ImportTest, ARepeatedImportSendsTheSameRequestAndIsSkipped) {
  script({known(), stored(1), known(), stored(1, true)});
  import(line(1));
  const Finished again = import(line(1));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output, "0 events imported, 1 were there already\n");
  EXPECT_EQ(body(0), body(1));
}

TEST_F(ImportTest, AnExpectedVersionIsCarriedFromBatchToBatch) {
  script({known(), stored(2), stored(3)});
  EXPECT_EQ(import(line(1) + line(2) + line(3), {"--batch", "2", "--expect", "0"}).exit_code, 0);
  EXPECT_EQ(body(0)["appends"][0]["expectedVersion"], 0);
  EXPECT_EQ(body(1)["appends"][0]["expectedVersion"], 2);
}

TEST_F(ImportTest, AWrongLineIsNamedAndNothingOfItsBatchIsSent) {
  script({known(), stored(2)});
  const Finished wrong = import(line(1) + line(2) + line(3) + "oops\n" + line(5), {"--batch", "2"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.errors, HasSubstr("line 4: not JSON"));
  EXPECT_THAT(wrong.errors, HasSubstr("before line 3 is stored"));
  EXPECT_THAT(wrong.output, IsEmpty());
  EXPECT_THAT(appends(), SizeIs(1));
}

TEST_F(ImportTest, ARefusalNamesTheLines) {
  script({known(), stored(2), refused(409, "wrong-version")});
  const Finished no = import(line(1) + line(2) + line(3) + line(4) + line(5), {"--batch", "2", "--json"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("lines 3 to 4: because (409 wrong-version)"));
  const json summary = json::parse(no.output);
  EXPECT_EQ(summary["appended"], 2);
  EXPECT_EQ(summary["failed"]["firstLine"], 3);
  EXPECT_EQ(summary["failed"]["lastLine"], 4);
}

TEST_F(ImportTest, ARefusedFieldNamesItsLine) {
  script({known(), refused(400, "invalid-request", "appends[0].events[1].type")});
  const Finished no = import(line(1) + "\n" + line(3));
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("line 3: because"));
  EXPECT_THAT(no.errors, HasSubstr("Nothing was imported"));
}

TEST_F(ImportTest, APartlyStoredBatchIsSentEventByEvent) {
  script({known(), refused(409, "event-id-reused"), stored(1, true), stored(2)});
  const Finished done = import(line(1) + line(2));
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.output, "1 event imported, 1 were there already\n");
  EXPECT_EQ(data(1), json({1}));
  EXPECT_EQ(data(2), json({2}));
}

TEST_F(ImportTest, AnIdOfAnotherEventIsRefused) {
  script({known(), refused(409, "event-id-reused"), stored(1, true), refused(409, "event-id-reused")});
  const Finished no = import(line(1) + line(2));
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("line 2: because (409 event-id-reused)"));
}

TEST_F(ImportTest, LostConnectionsAndBusyServersAreRetried) {
  script({known(), ScriptedServer::hang_up(), refused(503, "overloaded"), stored(1)});
  const Finished done = import(line(1));
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(body(0), body(2));
}

TEST_F(ImportTest, AnUnreachableServerIsExitCodeThree) {
  script({});
  const std::string url = server_->url();
  server_.reset();
  ASSERT_THAT(write_file(path_, line(1)), succeeds());
  const Finished lost = run_cairn({"import", path_.string(), "--url", url});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.errors, HasSubstr("no server answers there"));
}

TEST_F(ImportTest, AnEmptyFileImportsNothing) {
  script({});
  const Finished done = import("\n \n");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.output, "0 events imported\n");
}

TEST_F(ImportTest, TypesWithoutASchemaAreNamedBeforeAnythingIsAppended) {
  const auto of_type = [](const std::string& type) {
    return R"({"stream":"s","type":")" + type + R"(","data":{}})" + "\n";
  };
  const std::string file = line(1) + of_type("Placed") + line(2) + of_type("Paid") + of_type("Placed");
  script({known(), refused(422, "unknown-type")});
  const Finished no = import(file, {"--batch", "1"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("line 2: the server has no schema for 2 types of the file:\n"
                                   "  Placed (line 2)\n  Paid (line 4)\nRegister them first"));
  EXPECT_THAT(no.errors, HasSubstr("Nothing was imported."));
  ASSERT_THAT(appends(), SizeIs(1));
  EXPECT_EQ(body(0)["appends"][0]["expectedVersion"], 9'007'199'254'740'991u) << "it cannot succeed";
  // A server that takes events without a schema refuses that version, and then gets the events.
  script({known(), refused(409, "wrong-version"), stored(3), stored(5)});
  EXPECT_EQ(import(file, {"--batch", "3"}).exit_code, 0);
  // A server that does not list its schemas is not asked further.
  script({refused(403, "forbidden"), stored(5)});
  EXPECT_EQ(import(file).exit_code, 0);
  // Opaque data needs no schema.
  script({known(), stored(2)});
  EXPECT_EQ(
      import(line(1) + R"({"stream":"s","type":"Photo","contentType":"image/png","data":"AAAA"})").exit_code,
      0);
}

TEST_F(ImportTest, WrongUsageIsExitCodeTwo) {
  script({});
  EXPECT_EQ(run_cairn({"import", "/nowhere/in.ndjson"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"import"}).exit_code, 2);
  EXPECT_EQ(import(line(1), {"--batch", "0"}).exit_code, 2);
  EXPECT_EQ(import(line(1), {"--batch", "10001"}).exit_code, 2);
  EXPECT_EQ(import(line(1), {"--expect", "new"}).exit_code, 2);
}

}  // namespace
}  // namespace cairn::test

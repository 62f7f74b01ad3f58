// Deploying upcasters: verified on all history, installed or refused.

#include <chrono>
#include <string>
#include <thread>

#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class UpcasterDeployTest : public UpcasterApiTest {
 protected:
  // The lines of an answer that reports progress.
  std::vector<Json> deploy_in_lines(const std::string& script, const std::string& query = "") {
    const std::string target = "/upcasters/Person/1" + query;
    httplib::Client own("127.0.0.1", port());
    own.set_read_timeout(ApiClient::kPatienceSeconds);
    const auto result =
        own.Put(target, httplib::Headers{{"Accept", "application/x-ndjson"}}, script, kLuaType);
    std::vector<Json> all;
    if (!result) return all;
    EXPECT_EQ(result->status, 200) << result->body;
    EXPECT_EQ(result->get_header_value("Content-Type"), "application/x-ndjson");
    std::istringstream text(result->body);
    for (std::string line; std::getline(text, line);) {
      if (!line.empty()) all.push_back(Json::parse(line, nullptr, false));
    }
    return all;
  }
  double metric(const std::string& name) {
    const std::string text = get("/metrics").body;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
};

TEST_F(UpcasterDeployTest, AnInstalledUpcasterIsDescribed) {
  begin_with({"Ada Lovelace", "Alan Turing"});
  const HttpAnswer answer = deploy(split_name(), "?to=2");
  EXPECT_EQ(answer.status, 201);
  const Json told = answer.json();
  const std::string fingerprint = told.value("fingerprint", "");
  EXPECT_EQ(fingerprint.size(), 32u);
  EXPECT_EQ(told, Json({{"type", "Person"},
                        {"from", 1},
                        {"to", 2},
                        {"checked", 2},
                        {"failed", 0},
                        {"fingerprint", fingerprint},
                        {"revision", 1},
                        {"dryRun", false},
                        {"unchanged", false}}));

  const Json list = get("/upcasters").json();
  ASSERT_EQ(list["upcasters"].size(), 1u);
  const Json& one = list["upcasters"][0];
  EXPECT_EQ(one["fingerprint"], fingerprint);
  EXPECT_EQ(one["position"], head());
  EXPECT_THAT(one.value("installedAt", ""), HasSubstr("T"));
  EXPECT_EQ(one.size(), 7u);
  const Json chain = get("/upcasters/Person").json();
  EXPECT_EQ(chain["type"], "Person");
  EXPECT_EQ(chain["latestVersion"], 2);
  EXPECT_EQ(chain["upcasters"][0]["source"], split_name());
  EXPECT_EQ(chain["upcasters"][0]["produces"], Json::array());
  EXPECT_EQ(metric("cairn_upcasters"), 1);
}

TEST_F(UpcasterDeployTest, OneFailingEventRefusesTheDeployment) {
  std::vector<std::string> names(3'000, "Ada Lovelace");
  names[2'345] = "Plato";
  begin_with(names);
  const std::uint64_t before = head();
  const Json told = problem(deploy(split_name()), 422, "upcaster-failed");
  EXPECT_EQ(told["checked"], 3'000);
  EXPECT_EQ(told["failed"], 1);
  EXPECT_EQ(told["complete"], true);
  ASSERT_EQ(told["failures"].size(), 1u);
  EXPECT_EQ(told["failures"][0]["position"], 2'347);
  EXPECT_EQ(told["failures"][0]["stream"], "person-1");
  EXPECT_EQ(told["failures"][0]["version"], 2'346);
  EXPECT_THAT(told["failures"][0].value("error", ""), HasSubstr("Person/1-2.lua:5: one name only: Plato"));
  EXPECT_EQ(told["kinds"].size(), 1u);
  ASSERT_EQ(head(), before + 1) << "nothing is installed";
  EXPECT_EQ(get("/events?direction=backward&limit=1").json()["events"][0]["type"], "CommandRefused");
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
  EXPECT_EQ(metric("cairn_upcaster_deployments_total{outcome=\"refused\"}"), 1);
}

TEST_F(UpcasterDeployTest, TheFrequentKindsOfFailureComeFirst) {
  std::vector<std::string> names(150, "Plato");
  names.resize(155, "A B C");
  begin_with(names);
  const std::string two_ways = upcaster_text(
      "if data.name == 'Plato' then error('no last name') end\n    return {n = data.n, first = 7, last = "
      "''}");
  const Json told = problem(deploy(two_ways), 422, "upcaster-failed");
  EXPECT_EQ(told["failed"], 155);
  EXPECT_EQ(told["failures"].size(), 100u);
  ASSERT_EQ(told["kinds"].size(), 2u);
  EXPECT_EQ(each(told["kinds"], "/count"), Json({150, 5}));
  EXPECT_THAT(told["kinds"][0].value("error", ""), HasSubstr("no last name"));
  EXPECT_THAT(told["kinds"][1].value("error", ""), HasSubstr("/first"));
}

TEST_F(UpcasterDeployTest, ARefusedDeploymentKeepsTheOldUpcaster) {
  begin_with({"Ada Lovelace"});
  const Json old = deployed(split_name());
  problem(deploy(upcaster_text("error('never')")), 422, "upcaster-failed");
  EXPECT_EQ(get("/upcasters").json()["upcasters"][0]["fingerprint"], old["fingerprint"]);
  EXPECT_EQ(events("/streams/person-1/events")[0]["data"]["last"], "Lovelace");
}

TEST_F(UpcasterDeployTest, AReplacementHasAnotherRevisionAndFingerprint) {
  begin_with({"Ada Lovelace"});
  const Json old = deployed(split_name());
  const Json better = deployed(upcaster_text("return {n = data.n, first = data.name, last = '-'}"));
  EXPECT_EQ(better["revision"], 2);
  EXPECT_NE(better["fingerprint"], old["fingerprint"]);
  EXPECT_EQ(events("/streams/person-1/events")[0]["data"]["first"], "Ada Lovelace");
  EXPECT_EQ(get("/upcasters").json()["upcasters"].size(), 1u);
  EXPECT_EQ(metric("cairn_upcaster_deployments_total{outcome=\"installed\"}"), 2);
}

TEST_F(UpcasterDeployTest, DeployingTheSameScriptAgainChangesNothing) {
  begin_with({"Ada Lovelace"});
  const Json first = deployed(split_name());
  const std::uint64_t before = head();
  const HttpAnswer again = deploy(split_name());
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json()["unchanged"], true);
  EXPECT_EQ(again.json()["revision"], 1);
  EXPECT_EQ(again.json()["fingerprint"], first["fingerprint"]);
  EXPECT_EQ(head(), before);
  EXPECT_EQ(metric("cairn_upcaster_deployments_total{outcome=\"unchanged\"}"), 1);
}

TEST_F(UpcasterDeployTest, ADryRunInstallsNothing) {
  begin_with({"Ada Lovelace", "Plato"});
  const std::uint64_t before = head();
  problem(deploy(split_name(), "?dryRun=true"), 422, "upcaster-failed");
  const HttpAnswer passed = deploy(upcaster_text("return {n = 1, first = '', last = ''}"), "?dryRun=true");
  EXPECT_EQ(passed.status, 200);
  EXPECT_EQ(passed.json()["dryRun"], true);
  EXPECT_EQ(passed.json()["checked"], 2);
  EXPECT_EQ(head(), before);
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
  EXPECT_EQ(metric("cairn_upcaster_deployments_total{outcome=\"dry_run\"}"), 1);
}

TEST_F(UpcasterDeployTest, LinesReportProgressAndEndWithTheResult) {
  begin_with(std::vector<std::string>(9'000, "Ada Lovelace"));
  const auto all = deploy_in_lines(split_name());
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all.back()["result"]["checked"], 9'000);
  EXPECT_EQ(all.back()["result"]["unchanged"], false);
  EXPECT_EQ(all.back().size(), 1u);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Json& progress = all[i]["progress"];
    EXPECT_LE(progress["position"], progress["head"]);
    EXPECT_GT(progress["checked"], 0);
    EXPECT_EQ(progress["failed"], 0);
  }
}

TEST_F(UpcasterDeployTest, LinesEndWithTheProblem) {
  begin_with({"Plato"});
  const auto all = deploy_in_lines(split_name());
  ASSERT_FALSE(all.empty());
  const Json& told = all.back()["problem"];
  EXPECT_EQ(told["type"], "/problems/upcaster-failed");
  EXPECT_EQ(told["status"], 422);
  EXPECT_EQ(told["failures"][0]["position"], 2);
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
}

TEST_F(UpcasterDeployTest, AnEndlessScriptIsStoppedAndTheServerContinues) {
  begin_with(std::vector<std::string>(500, "Ada Lovelace"));
  for (const std::string& endless : {upcaster_text("while true do end"), std::string("while true do end"),
                                     upcaster_text("local t = {} while true do t[#t + 1] = {} end")}) {
    SCOPED_TRACE(endless);
    const auto began = std::chrono::steady_clock::now();
    const HttpAnswer answer = deploy(endless);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    EXPECT_EQ(answer.status, 422) << answer.body;
    const bool loads = endless.starts_with("return");
    EXPECT_EQ(answer.json()["type"], loads ? "/problems/upcaster-failed" : "/problems/script-error");
    EXPECT_EQ(answer.json().value("complete", !loads), !loads);
    expect_healthy();
  }
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
}

// Slow enough that one deployment would take minutes.
const std::string kSlow =
    upcaster_text("for i = 1, 200000 do local x = i * i end\n    return {n = data.n, first = '', last = ''}");

TEST_F(UpcasterDeployTest, AClientThatDisconnectsCancelsItsDeployment) {
  begin_with(std::vector<std::string>(9'000, "Ada Lovelace"));
  for (const std::string accept : {"application/x-ndjson", "application/json"}) {
    RawClient impatient = raw();
    impatient.send(
        "PUT /upcasters/Person/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x-lua\r\nAccept: " +
        accept + "\r\nContent-Length: " + std::to_string(kSlow.size()) + "\r\n\r\n" + kSlow);
    if (accept == "application/x-ndjson") {
      EXPECT_EQ(impatient.receive(false).status, 200);
    }
    expect_healthy();  // By then the request has been read.
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(deploy(split_name()).status, 201) << "its turn comes soon";
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST_F(UpcasterDeployTest, ADeploymentDoesNotDelayTheStop) {
  begin_with(std::vector<std::string>(9'000, "Ada Lovelace"));
  std::vector<RawClient> waiting;
  for (const char* accept : {"application/x-ndjson", "application/json", "application/json"}) {
    waiting.push_back(raw());
    waiting.back().send(
        "PUT /upcasters/Person/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x-lua\r\nAccept: " +
        std::string(accept) + "\r\nContent-Length: " + std::to_string(kSlow.size()) + "\r\n\r\n" + kSlow);
    if (waiting.size() == 1) {
      EXPECT_EQ(waiting[0].receive(false).status, 200);
    }
  }
  expect_healthy();  // By then the other two have been read as well.
  const Finished finished = stop_server(std::chrono::seconds(5));
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(waiting[0].rest(), HasSubstr("/problems/not-yet")) << "they are told";
  EXPECT_EQ(waiting[1].receive().status, 503);
  EXPECT_EQ(waiting[2].receive().status, 503);
  serve({});
  EXPECT_EQ(get("/upcasters").json()["upcasters"], Json::array());
}

TEST_F(UpcasterDeployTest, DeploymentsBeyondTheQueueGet503) {
  begin_with(std::vector<std::string>(9'000, "Ada Lovelace"));
  std::vector<RawClient> waiting;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(raw());
    waiting.back().send(
        "PUT /upcasters/Person/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x-lua\r\n"
        "Accept: application/x-ndjson\r\nContent-Length: " +
        std::to_string(kSlow.size()) + "\r\n\r\n" + kSlow);
    const RawResponse answer = waiting.back().receive(false);
    EXPECT_THAT(answer.status, ::testing::AnyOf(200, 503));
    if (answer.status != 503) continue;
    EXPECT_TRUE(answer.has("Retry-After"));
    ++refused;
  }
  EXPECT_GE(refused, 3);
  expect_healthy();
}

// Invariant: an event that was appended during the verification was verified as well.
TEST_F(UpcasterDeployTest, EventsAppendedMeanwhileAreVerifiedToo) {
  begin_with(std::vector<std::string>(2'000, "Ada Lovelace"));
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    ApiClient own = new_client();
    while (!done) {
      const HttpAnswer answer = own.append("person-2", std::vector<std::string>(50, person("Alan Turing")));
      EXPECT_EQ(answer.status, 201) << answer.body;
    }
  });
  deployed(split_name());
  done = true;
  writer.join();
  for (const Json& event : lines("/events?type=Person")) ASSERT_TRUE(event["data"].contains("last")) << event;
}

}  // namespace
}  // namespace cairn::test

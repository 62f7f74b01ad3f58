// The client commands, with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/certificate.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class CommandsTest : public ::testing::Test {
 protected:
  Finished cairn(std::vector<std::string> words, const std::string& input = "",
                 const std::string& token = "") const {
    words.insert(words.end(), {"--url", server_.url()});
    ProcessOptions options;
    options.input = input;
    if (!token.empty()) options.variables.emplace_back("CAIRN_TOKEN", token);
    return run_cairn(words, options);
  }

  Finished append(const std::string& stream, const std::string& data,
                  const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"append", stream, "--type", "T", "--data", data};
    words.insert(words.end(), more.begin(), more.end());
    return cairn(words);
  }

  // The data of the events a read prints, as they are written.
  std::vector<std::string> data_of(std::vector<std::string> words) {
    words.insert(words.begin(), "read");
    const Finished done = cairn(words);
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    std::vector<std::string> data;
    for (const std::string& line : lines_in(done.output)) {
      const std::size_t begin = line.find("\"data\":") + 7;
      data.push_back(line.substr(begin, line.find(",\"metadata\":") - begin));
    }
    return data;
  }

  // Each stream of a server with its events, without what depends on when and where they were stored.
  static std::map<std::string, std::vector<json>> content(const std::string& url) {
    std::map<std::string, std::vector<json>> streams;
    for (const std::string& line : lines_in(run_cairn({"read", "--all", "--url", url}).output)) {
      json event = json::parse(line);
      event.erase("position");
      event.erase("recordedAt");
      streams[event["stream"]].push_back(event);
    }
    return streams;
  }

  TempFolder folder_;
  RunningServer server_;
};

std::string import_line(int n) {
  return R"({"stream":"order-)" + std::to_string(n % 7) + R"(","type":"T","data":)" + std::to_string(n) +
         R"(.00,"tags":["t"]})" + "\n";
}

std::string import_lines(int first, int last) {
  std::string text;
  for (int n = first; n <= last; ++n) text += import_line(n);
  return text;
}

TEST_F(CommandsTest, NumbersKeepEveryDigit) {
  EXPECT_EQ(append("order-1", R"({"n": 0.10, "big": 12345678901234567890123})").output,
            "order-1 is at version 1 (position 1)\n");
  EXPECT_EQ(
      append("order-1", "1E400", {"--expect", "1", "--tag", "a", "--metadata", R"({"by":"me"})"}).output,
      "order-1 is at version 2 (position 2)\n");
  EXPECT_THAT(data_of({"order-1"}), ElementsAre(R"({"n":0.10,"big":12345678901234567890123})", "1E400"));
  EXPECT_THAT(cairn({"read", "order-1", "--from", "2"}).output,
              HasSubstr(R"("data":1E400,"metadata":{"by":"me"},"tags":["a"])"));
}

TEST_F(CommandsTest, ARepeatIsAppliedOnce) {
  const std::string id = "0191b2c4-0000-7000-8000-000000000001";
  EXPECT_EQ(append("order-1", "1", {"--id", id}).exit_code, 0);
  const Finished again = append("order-1", "1", {"--id", id});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.output, "order-1: already applied, as version 1 (position 1)\n");
  const Finished other = append("order-1", "2", {"--id", id});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors, HasSubstr("(409 event-id-reused)"));
  const json machine = json::parse(append("order-1", "1", {"--id", id, "--json"}).output);
  EXPECT_EQ(machine["alreadyApplied"], true);
}

TEST_F(CommandsTest, AWrongVersionIsRefused) {
  append("order-1", "1");
  const Finished no = append("order-1", "2", {"--expect", "0"});
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("(409 wrong-version)"));
  const json machine = json::parse(append("order-1", "2", {"--expect", "0", "--json"}).output);
  EXPECT_EQ(machine["currentVersion"], 1);
}

TEST_F(CommandsTest, ReadsAreFilteredAndReversed) {
  for (int i = 1; i <= 3; ++i) {
    append("order-1", std::to_string(i));
    append("cart-1", std::to_string(10 * i));
  }
  EXPECT_THAT(data_of({"order-1"}), ElementsAre("1", "2", "3"));
  EXPECT_THAT(data_of({"order-1", "--from", "2", "--limit", "1"}), ElementsAre("2"));
  EXPECT_THAT(data_of({"order-1", "--backward", "--limit", "2"}), ElementsAre("3", "2"));
  EXPECT_THAT(data_of({"--all", "--from", "4"}), ElementsAre("20", "3", "30"));
  EXPECT_THAT(data_of({"--all", "--category", "cart"}), ElementsAre("10", "20", "30"));
  EXPECT_THAT(data_of({"--all", "--type", "Other"}), IsEmpty());
  const Finished nobody = cairn({"read", "order-9"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.errors, HasSubstr("(404 not-found)"));
}

TEST_F(CommandsTest, EventsAreFoundAndCounted) {
  append("order-1", "1", {"--tag", "eu", "--tag", "größe 1", "--metadata", R"({"correlationId":"c-1"})"});
  append("order-2", "2", {"--tag", "eu"});
  append("cart-1", "3", {"--metadata", R"({"correlationId":"c-1"})"});
  EXPECT_THAT(data_of({"--all", "--tag", "eu"}), ElementsAre("1", "2"));
  EXPECT_THAT(data_of({"--all", "--tag", "eu", "--tag", "größe 1"}), ElementsAre("1"));
  EXPECT_THAT(data_of({"--all", "--correlation", "c-1", "--no-system"}), ElementsAre("1", "3"));
  EXPECT_THAT(data_of({"--all", "--correlation", "c-1", "--follow", "--limit", "2"}), ElementsAre("1", "3"));
  const json second = json::parse(cairn({"read", "--all", "--from", "2", "--limit", "1"}).output);
  const std::string time = second["recordedAt"];
  EXPECT_THAT(data_of({"--all", "--from-time", time}), ElementsAre("2", "3"));
  EXPECT_THAT(data_of({"--all", "--from-time", time, "--follow", "--limit", "2"}), ElementsAre("2", "3"));
  EXPECT_THAT(data_of({"--all", "--until-time", time, "--backward"}), ElementsAre("1"));
  EXPECT_EQ(cairn({"stats", "counts"}).output,
            "{\"name\":\"cart\",\"events\":1}\n{\"name\":\"order\",\"events\":2}\n");
  EXPECT_EQ(cairn({"stats", "counts", "--by", "tag", "--prefix", "g"}).output,
            "{\"name\":\"größe 1\",\"events\":1}\n");
}

TEST_F(CommandsTest, FollowSurvivesARestartOfTheServer) {
  append("order-1", "\"first\"");
  CairnProcess follower({"read", "--all", "--follow", "--url", server_.url()});
  ASSERT_TRUE(follower.prints("\"first\""));
  append("order-1", "\"second\"");
  ASSERT_TRUE(follower.prints("\"second\""));
  server_.kill();
  ASSERT_TRUE(follower.complains("retrying"));
  server_.start_again();
  append("order-1", "\"third\"");
  ASSERT_TRUE(follower.prints("\"third\""));
  follower.signal(SIGINT);
  const Finished done = follower.finish();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(lines_in(done.output).size(), 3u) << done.output;
}

TEST_F(CommandsTest, AnImportCanBeRunAgain) {
  const auto path = folder_ / "in.ndjson";
  ASSERT_THAT(write_file(path, import_lines(1, 250) + "oops\n" + import_lines(252, 500)), succeeds());
  const Finished broken = cairn({"import", path.string(), "--batch", "100"});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.errors, HasSubstr("line 251: not JSON"));
  EXPECT_THAT(broken.errors, HasSubstr("before line 201 is stored"));

  ASSERT_THAT(write_file(path, import_lines(1, 500)), succeeds());
  const Finished again = cairn({"import", path.string(), "--batch", "100"});
  EXPECT_EQ(again.output, "300 events imported, 200 were there already\n") << again.errors;
  const Finished other_batches = cairn({"import", path.string(), "--batch", "70"});
  EXPECT_EQ(other_batches.output, "0 events imported, 500 were there already\n") << other_batches.errors;
  EXPECT_EQ(data_of({"--all"}).size(), 500u);
  EXPECT_EQ(data_of({"order-3", "--limit", "2"}), (std::vector<std::string>{"3.00", "10.00"}));
}

TEST_F(CommandsTest, AnImportFromTheBeginningIsCheckedToTheEnd) {
  const std::string lines = import_lines(1, 50);
  EXPECT_EQ(cairn({"import", "-", "--expect", "0", "--batch", "20"}, lines).exit_code, 0);
  EXPECT_EQ(cairn({"import", "-", "--expect", "0", "--batch", "20"}, lines).output,
            "0 events imported, 50 were there already\n");
  append("order-1", "1");
  const Finished no = cairn({"import", "-", "--expect", "0", "--batch", "20"}, lines + import_lines(51, 80));
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("(409 wrong-version)"));
}

TEST_F(CommandsTest, ReadAndImportCopyAStore) {
  cairn({"import", "-"}, import_lines(1, 300));
  append("cart-1", R"({"n":1.10})", {"--metadata", R"({"by":"me"})", "--tag", "x"});
  const Finished read = cairn({"read", "--all", "--json"});
  const RunningServer copy;
  const Finished done =
      run_cairn({"import", "-", "--keep-order", "--url", copy.url()}, {.input = read.output});
  EXPECT_EQ(done.output, "301 events imported\n") << done.errors;
  EXPECT_EQ(content(copy.url()), content(server_.url()));
  EXPECT_EQ(content(copy.url()).size(), 8u);
}

// A log with an event of each version of a schema, which an upcaster connects.
TEST_F(CommandsTest, StoredEventsAreImportedInTheVersionTheyWereWrittenIn) {
  const auto file = [&](const std::string& name, const std::string& text) {
    const auto path = folder_ / "schemas" / "Paid" / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_THAT(write_file(path, text), succeeds());
    return path.string();
  };
  const std::string first =
      file("1.avsc", R"({"type":"record","name":"Paid","fields":[{"name":"euros","type":"long"}]})");
  const std::string second =
      file("2.avsc", R"({"type":"record","name":"Paid","fields":[{"name":"cents","type":"long"}]})");
  file("1-2.lua",
       "return upcaster { type = 'Paid', from = 1, to = 2, upcast = function(data)\n"
       "  return { cents = data.euros * 100 } end }");
  const std::string schemas = (folder_ / "schemas").string();
  const auto pay = [&](const std::string& data) {
    EXPECT_EQ(cairn({"append", "order-1", "--type", "Paid", "--data", data}).exit_code, 0);
  };
  ASSERT_EQ(cairn({"schema", "register", "Paid", first}).exit_code, 0);
  pay(R"({"euros":3})");
  ASSERT_EQ(cairn({"schema", "register", "--dir", schemas}).exit_code, 0);
  pay(R"({"cents":5})");
  const std::vector<std::string> stored = {"read",   "--all",   "--category", "order",
                                           "--json", "--shape", "stored"};
  const std::string exported = cairn(stored).output;
  ASSERT_EQ(lines_in(exported).size(), 2u);
  const auto into = [&](const RunningServer& server, std::vector<std::string> words,
                        const std::string& input = "") {
    words.insert(words.end(), {"--url", server.url()});
    return run_cairn(words, {.input = input});
  };

  const RunningServer copy;
  ASSERT_EQ(into(copy, {"schema", "register", "--dir", schemas}).exit_code, 0);
  const Finished done = into(copy, {"import", "-"}, exported);
  EXPECT_EQ(done.output, "2 events imported\n") << done.errors;
  std::vector<std::string> versions;
  for (const std::string& line : lines_in(into(copy, stored).output)) {
    versions.push_back(json::parse(line)["storedSchemaVersion"].dump() + json::parse(line)["data"].dump());
  }
  EXPECT_THAT(versions, ElementsAre(R"(1{"euros":3})", R"(2{"cents":5})"));

  // A server that has only the newest schema takes events in their newest shape.
  const RunningServer other;
  ASSERT_EQ(into(other, {"schema", "register", "Paid", second}).exit_code, 0);
  const Finished no = into(other, {"import", "-"}, exported);
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("stdin, line 1: "));
  EXPECT_THAT(no.errors, HasSubstr("(422 invalid-data)"));
  EXPECT_EQ(into(other, {"import", "-"}, cairn({"read", "order-1", "--json"}).output).output,
            "2 events imported\n");
}

TEST_F(CommandsTest, AnImportSaysWhichSchemaIsMissing) {
  ASSERT_THAT(write_file(folder_ / "1.avsc", R"("long")"), succeeds());
  ASSERT_EQ(cairn({"schema", "register", "Paid", (folder_ / "1.avsc").string()}).exit_code, 0);
  const auto paid = [](int version, const std::string& data) {
    return R"({"stream":"order-1","type":"Paid","schemaVersion":)" + std::to_string(version) + R"(,"data":)" +
           data + "}\n";
  };
  const Finished no = cairn({"import", "-"}, paid(1, "1") + paid(2, R"({"cents":5})"));
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("stdin, line 2: "));
  EXPECT_THAT(no.errors,
              HasSubstr("The line names version 2 of the schema of Paid, which this server does not"));
  EXPECT_THAT(no.errors, HasSubstr("`cairn schema register`"));
  // Without schemas it is free JSON.
  EXPECT_EQ(cairn({"import", "-"}, R"({"stream":"a-1","type":"Free","schemaVersion":3,"data":1})").exit_code,
            0);
}

TEST_F(CommandsTest, WrongEventsInAnImportAreReportedByLine) {
  const Finished no = cairn({"import", "-"}, import_lines(1, 3) + R"({"stream":"$x","type":"T","data":1})");
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, HasSubstr("stdin, line"));
  EXPECT_THAT(data_of({"--all"}), IsEmpty());
}

TEST(GuardedServerTest, TokensGrantTheirScopes) {
  const TempFolder folder;
  const std::string tokens = (folder / "tokens").string();
  const auto create = [&](const std::string& scope) {
    return lines_in(run_cairn({"token", "create", scope, "--scope", scope, "--tokens", tokens}).output).at(0);
  };
  const std::string reader = create("read");
  const std::string writer = create("append");
  const RunningServer server({"--tokens", tokens});
  const auto as = [&](const std::string& token, std::vector<std::string> words) {
    words.insert(words.end(), {"--url", server.url()});
    ProcessOptions options;
    if (!token.empty()) options.variables.emplace_back("CAIRN_TOKEN", token);
    return run_cairn(words, options);
  };
  const std::vector<std::string> append = {"append", "s-1", "--type", "T", "--data", "1"};
  const Finished nobody = as("", append);
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.errors, HasSubstr("(401 unauthorized)"));
  EXPECT_THAT(nobody.errors, HasSubstr("CAIRN_TOKEN"));
  EXPECT_THAT(as(reader, append).errors, HasSubstr("(403 forbidden)"));
  EXPECT_EQ(as(writer, append).exit_code, 0);
  EXPECT_EQ(as(writer, {"read", "s-1"}).exit_code, 1);
  EXPECT_EQ(lines_in(as(reader, {"read", "s-1"}).output).size(), 1u);
}

TEST(GuardedServerTest, HttpsNeedsATrustedCertificate) {
  const TempFolder folder;
  const std::string certificate = (folder / "cert.pem").string();
  const std::string key = (folder / "key.pem").string();
  make_certificate(certificate, key);
  const RunningServer server({"--tls-cert", certificate, "--tls-key", key});
  ASSERT_EQ(server.url().substr(0, 8), "https://");
  const std::vector<std::string> append = {"append", "s-1", "--type", "T",
                                           "--data", "1",   "--url",  server.url()};
  const Finished stranger = run_cairn(append);
  EXPECT_EQ(stranger.exit_code, 3);
  EXPECT_THAT(stranger.errors, HasSubstr("its certificate is not trusted"));
  const ProcessOptions trusting{.input = "", .variables = {{"CAIRN_CA_FILE", certificate}}};
  EXPECT_EQ(run_cairn(append, trusting).output, "s-1 is at version 1 (position 1)\n");
  EXPECT_EQ(
      lines_in(run_cairn({"read", "--all", "--url", server.url(), "--ca-file", certificate}).output).size(),
      1u);
  CairnProcess follower({"read", "--all", "--follow", "--url", server.url(), "--ca-file", certificate});
  ASSERT_TRUE(follower.prints("\n"));
  follower.signal(SIGTERM);
  EXPECT_EQ(follower.finish().exit_code, 0);
}

}  // namespace
}  // namespace cairn::test

// The configuration of real servers, and `cairn config`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/certificate.h"
#include "tests/tools/cli/command_walk.h"
#include "tools/cli/config/setting.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Variables = std::vector<std::pair<std::string, std::string>>;

class ConfigTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& text, const std::string& name = "cairn.toml") const {
    EXPECT_THAT(write_file(folder_ / name, text), succeeds());
    return path(name);
  }

  // The data folder that a server serves with these, by its first line.
  std::string served_folder(std::vector<std::string> words, const Variables& variables) {
    words.insert(words.begin(), "serve");
    CairnProcess server(words, {.input = "", .variables = variables});
    const std::string line = server.first_line();
    server.signal(SIGTERM);
    const Finished finished = server.finish();
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    log_ = finished.errors;
    const std::size_t begin = line.find(" serving "), end = line.find(" on http");
    return end == std::string::npos ? line
                                    : fs::path(line.substr(begin + 9, end - begin - 9)).filename().string();
  }

  static Finished config(std::vector<std::string> words, const Variables& variables = {}) {
    words.insert(words.begin(), "config");
    return run_cairn(words, {.input = "", .variables = variables});
  }

  TempFolder folder_;
  std::string log_;
};

TEST_F(ConfigTest, AServerTakesFlagThenVariableThenFile) {
  const std::string toml = file("listen = \"127.0.0.1:0\"\ndata = \"" + path("of-file") + "\"\n");
  const std::pair<std::string, std::string> variable = {"CAIRN_DATA", path("of-variable")};
  EXPECT_EQ(served_folder({"--config", toml}, {}), "of-file");
  EXPECT_THAT(log_, HasSubstr("Configuration read from " + toml));
  EXPECT_EQ(served_folder({"--config", toml}, {variable}), "of-variable");
  EXPECT_EQ(served_folder({"--config", toml, "--data", path("of-flag")}, {variable}), "of-flag");
  EXPECT_EQ(served_folder({}, {{"CAIRN_CONFIG", toml}}), "of-file");
  EXPECT_EQ(served_folder({}, {{"CAIRN_LISTEN", "127.0.0.1:0"}, variable}), "of-variable");
  EXPECT_THAT(log_, Not(HasSubstr("Configuration read")));
}

TEST_F(ConfigTest, ProjectReadsTheSameFile) {
  const std::string data = path("data");
  const std::string toml =
      file("data = \"" + data + "\"\nlisten = \"127.0.0.1:0\"\nprojections = \"read\"\nonce = true\n");
  EXPECT_EQ(served_folder({"--config", toml}, {}), "data");
  const Finished built = run_cairn({"project", "--config", toml});
  EXPECT_EQ(built.exit_code, 0) << built.errors;
  EXPECT_THAT(built.output, HasSubstr("0 projections built"));
}

TEST_F(ConfigTest, ADeviceWithoutEndAndAnEmptyFolderAreRefused) {
  const Finished endless = config({"check", "--config", "/dev/zero"});
  EXPECT_EQ(endless.exit_code, 1);
  EXPECT_THAT(endless.errors + endless.output, HasSubstr("1048576 bytes"));
  const Finished empty = config({"check", "--config", file("data = \"\"\n")});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.errors + empty.output, HasSubstr("data: is empty"));
}

TEST_F(ConfigTest, AServerWithAProblemDoesNotStart) {
  const std::string toml = file("data = \"" + path("data") + "\"\nlisten = \"localhost\"\nlog_format = 1\n");
  const Finished refused = run_cairn({"serve", "--config", toml});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, IsEmpty());
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("cairn: " + toml + ":2: listen: "),
                    HasSubstr("cairn: " + toml +
                              ":3: there is no setting 'log_format'; did you mean 'log-format'?\n")));
  EXPECT_FALSE(fs::exists(folder_ / "data"));
}

TEST_F(ConfigTest, AServerWarnsOfAVariableThatNothingReads) {
  served_folder({"--listen", "127.0.0.1:0", "--data", path("data")},
                {{"CAIRN_LISTNE", "x"}, {"CAIRN_SERVICE_PORT", "1"}});
  EXPECT_THAT(log_, HasSubstr("warning The variable CAIRN_LISTNE is set, and nothing reads it; did you mean "
                              "CAIRN_LISTEN?"));
  EXPECT_THAT(log_, Not(HasSubstr("CAIRN_SERVICE_PORT")));
}

TEST_F(ConfigTest, ShowSaysWhereEachValueComesFrom) {
  const std::string toml = file("\nlisten = \"127.0.0.1:9000\"\ndedup-days = 3\nschemas = \"optional\"\n");
  const std::vector<std::string> words = {"show", "--config", toml, "--data", "here"};
  const Variables variables = {{"CAIRN_SCHEMAS", "required"},
                               {"CAIRN_CORS_ORIGIN", "https://a.example,https://b.example"}};
  const Finished text = config(words, variables);
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.errors, IsEmpty());
  EXPECT_THAT(text.output, StartsWith("NAME "));

  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  const json shown = json::parse(config(as_json, variables).output);
  EXPECT_EQ(shown["config"], toml);
  EXPECT_EQ(shown["problems"], json::array());
  std::map<std::string, json> settings;
  for (const json& setting : shown["settings"]) settings[setting["name"]] = setting;
  const auto expect = [&](const std::string& name, const json& value, const std::string& source,
                          const std::string& place) {
    EXPECT_EQ(settings[name], json({{"name", name}, {"value", value}, {"source", source}, {"place", place}}));
    EXPECT_THAT(text.output, ::testing::ContainsRegex("\n" + name + " .* " + place + "\n")) << name;
  };
  expect("data", "here", "flag", "flag");
  expect("listen", "127.0.0.1:9000", "file", toml + ":2");
  expect("dedup-days", 3, "file", toml + ":3");
  expect("schemas", "required", "environment", "CAIRN_SCHEMAS");
  expect("cors-origin", {"https://a.example", "https://b.example"}, "environment", "CAIRN_CORS_ORIGIN");
  expect("projections-max", 256, "default", "default");
  expect("tokens", nullptr, "default", "default");

  // In the order of --help, and none is left out.
  CommandWalk walk;
  std::vector<std::string> names, shown_names;
  for (const cli::Setting& setting : cli::settings_of(*walk.program().get_subcommand("serve"))) {
    names.push_back(setting.name);
  }
  for (const json& setting : shown["settings"]) shown_names.push_back(setting["name"]);
  EXPECT_EQ(shown_names, names);
}

TEST_F(ConfigTest, ShowPrintsValuesWithTheirProblems) {
  const std::string toml = file("listen = \"localhost\"\n");
  const Finished shown = config({"show", "--config", toml});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.output, HasSubstr("localhost"));
  EXPECT_THAT(shown.errors, HasSubstr(toml + ":1: listen: "));
}

TEST_F(ConfigTest, CheckAcceptsAValidConfiguration) {
  make_certificate(folder_ / "cert.pem", folder_ / "key.pem");
  ASSERT_EQ(run_cairn({"token", "create", "a", "--scope", "read", "--tokens", path("tokens")}).exit_code, 0);
  const std::string toml = file("listen = \"0.0.0.0:0\"\ntokens = \"" + path("tokens") + "\"\ntls-cert = \"" +
                                path("cert.pem") + "\"\n");
  const Finished checked =
      config({"check", "--config", toml, "--dedup-days", "1"}, {{"CAIRN_TLS_KEY", path("key.pem")}});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_EQ(checked.output,
            "The configuration is valid: 3 values from the file, 1 from the environment, 1 from the command "
            "line.\n");
  EXPECT_THAT(checked.errors, IsEmpty());
}

TEST_F(ConfigTest, CheckReportsEveryProblem) {
  const std::string toml = file("listen = \"localhost\"\ntokens = \"" + file("nonsense", "tokens") +
                                "\"\ntls-cert = \"" + path("nowhere.pem") + "\"\nx = 1\n");
  const Finished checked = config({"check", "--config", toml}, {{"CAIRN_SCHEMAS", "no"}});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.output, IsEmpty());
  for (const char* const problem :
       {":1: listen: ", ":2: tokens: ", ":3: tls-cert: opening ", ":3: tls-cert needs --tls-key as well",
        ":4: there is no setting 'x'", "CAIRN_SCHEMAS: must be required or optional, not 'no'"}) {
    EXPECT_THAT(checked.errors, HasSubstr(problem));
  }
  const json checked_json = json::parse(config({"check", "--config", toml, "--json"}).output);
  EXPECT_EQ(checked_json["valid"], false);
  EXPECT_EQ(checked_json["problems"].size(), 5u);
}

TEST_F(ConfigTest, CheckRefusesToListenForOthersWithoutTokens) {
  const Finished checked = config({"check"}, {{"CAIRN_LISTEN", "0.0.0.0:7878"}});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.errors, HasSubstr("CAIRN_LISTEN: refusing to listen on 0.0.0.0:7878"));
}

TEST_F(ConfigTest, CheckReadsKeyAndCertificateTogether) {
  make_certificate(folder_ / "cert.pem", folder_ / "key.pem");
  make_certificate(folder_ / "other.pem", folder_ / "other-key.pem");
  const Finished checked =
      config({"check", "--tls-cert", path("cert.pem")}, {{"CAIRN_TLS_KEY", path("other-key.pem")}});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.errors, HasSubstr("--tls-cert: "));
}

TEST_F(ConfigTest, CheckWarnsOfTokensThatOthersCanRead) {
  ASSERT_EQ(run_cairn({"token", "create", "a", "--scope", "read", "--tokens", path("tokens")}).exit_code, 0);
  fs::permissions(folder_ / "tokens", fs::perms(0644));
  const Finished checked = config({"check", "--tokens", path("tokens")});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_THAT(checked.errors,
              HasSubstr("cairn: warning: --tokens: " + path("tokens") + " can be read by other"));
}

}  // namespace
}  // namespace cairn::test

// Confluent's clients, unmodified, against a real server. `./run test` installs them; a test whose client is
// not installed is skipped.

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int exit_code = -1;
  std::string output;
};

// REQUIRES: `command` comes from this file; a shell reads it.
Outcome run(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen(("timeout 120 " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char piece[4096];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, pipe))
    outcome.output.append(piece, size);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Keep in step with fetch-schemaregistry.
std::filesystem::path npm_folder() {
  std::filesystem::path cache = variable("CAIRN_CACHE_DIR");
  if (cache.empty() && !variable("XDG_CACHE_HOME").empty()) cache = variable("XDG_CACHE_HOME") + "/cairn";
  if (cache.empty()) cache = variable("HOME") + "/.cache/cairn";
  return cache / "npm-schemaregistry-1.10.1";
}

std::string script(const char* name) { return std::string(CAIRN_SOURCE_DIR "/tests/api/clients/") + name; }

class ClientsTest : public ApiTest {
 protected:
  void expect_done(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("all done"));
  }
};

TEST_F(ClientsTest, SchemaRegistryForNode) {
  if (run("node --version").exit_code != 0)
    GTEST_SKIP() << "There is no node: Confluent's client for it is not tested.";
  if (!std::filesystem::exists(npm_folder() / "node_modules/@confluentinc/schemaregistry/package.json")) {
    GTEST_SKIP() << "@confluentinc/schemaregistry is not in " << npm_folder()
                 << ": it is not tested. tests/api/clients/fetch-schemaregistry installs it.";
  }
  serve({});
  expect_done(run("node '" + script("schemaregistry_client.cjs") + "' '" + url() + "' '" +
                  npm_folder().string() + "'"));
}

TEST_F(ClientsTest, ConfluentKafkaForPython) {
  // Debian's Python, because only that one finds Debian's packages.
  const std::string python = "/usr/bin/python3";
  if (run(python + " -c 'import confluent_kafka, avro, requests'").exit_code != 0) {
    GTEST_SKIP()
        << "python3-confluent-kafka, python3-avro and python3-requests are not installed: Confluent's client "
           "for Python is not tested.";
  }
  serve({});
  expect_done(run(python + " '" + script("confluent_kafka_client.py") + "' '" + url() + "'"));
}

}  // namespace
}  // namespace cairn::test

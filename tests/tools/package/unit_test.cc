// The systemd unit lets the server do what it does. No systemd runs here: the system calls of a server are
// listed and held against the ones that the unit allows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The calls of a group, as "@system-service", and of the groups in it; a call is a group of itself.
std::set<std::string> calls_in(const std::string& group) {
  if (!group.starts_with('@')) return {group};
  std::set<std::string> calls;
  std::istringstream lines(said_by({"systemd-analyze", "syscall-filter", "--no-pager", group}).text);
  std::string word;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream(line) >> word;
    if (!line.starts_with("    ") || word == "#") continue;
    calls.merge(calls_in(word));
  }
  EXPECT_FALSE(calls.empty()) << group;
  return calls;
}

// The allowed system calls of the unit's SystemCallFilter lines: the first line allows, lines with ~ remove.
std::set<std::string> allowed_calls() {
  std::set<std::string> allowed = calls_in("@default");
  std::istringstream lines(*read_file(fs::path(CAIRN_SOURCE_DIR) / "cmake/package/cairn.service.in"));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kName = "SystemCallFilter=";
    if (!line.starts_with(kName)) continue;
    line.erase(0, kName.size());
    const bool takes_away = line.starts_with('~');
    if (takes_away) line.erase(0, 1);
    std::istringstream groups(line);
    for (std::string group; groups >> group;) {
      for (const std::string& call : calls_in(group)) {
        if (takes_away) {
          allowed.erase(call);
        } else {
          allowed.insert(call);
        }
      }
    }
  }
  return allowed;
}

// The names of the calls in a table that strace counted.
std::set<std::string> counted_calls(const fs::path& table) {
  std::set<std::string> calls;
  std::istringstream lines(*read_file(table));
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(line.find_last_of(' ') + 1);
    if (!line.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos) {
      calls.insert(name);
    }
  }
  calls.erase("syscall");  // the head of the column
  calls.erase("total");
  return calls;
}

// Kills a process that is no child of the test, should the test end early.
struct EndOfProcess {
  ~EndOfProcess() {
    if (pid > 1) ::kill(pid, SIGKILL);
  }
  pid_t pid = -1;
};

TEST(UnitTest, MemoryAndCoreFilesAreLimited) {
  const std::string unit = *read_file(fs::path(CAIRN_SOURCE_DIR) / "cmake/package/cairn.service.in");
  EXPECT_THAT(unit, HasSubstr("\nMemoryMax="));
  EXPECT_THAT(unit, HasSubstr("\nLimitCORE=0\n"));
}

TEST(UnitTest, EverySystemCallOfTheServerIsAllowed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Sanitizers make calls of their own";
#endif
  for (const char* program : {"strace", "systemd-analyze"}) {
    if (!is_installed(program)) GTEST_SKIP() << "THE UNIT'S FILTER IS NOT TESTED: there is no " << program;
  }
  const TempFolder folder;
  const fs::path table = folder / "calls";
  // A signal to strace itself would not stop the server, so the server says its number first.
  ChildProcess server({{"/usr/bin/strace", "-f", "-c", "-o", table.string(), "/bin/sh", "-c",
                        "echo $$; exec \"$0\" serve --data \"$1\" --listen 127.0.0.1:0 --schemas optional",
                        test_program("cairn").string(), (folder / "data").string()},
                       {}});
  EndOfProcess traced{std::stoi(server.read_line().value_or("-1"))};
  ASSERT_GT(traced.pid, 1);
  const std::string line = server.read_line().value_or("nothing");
  const std::size_t at = line.find(" on http");
  ASSERT_NE(at, std::string::npos) << line;
  const std::string url = line.substr(at + 4);
  ASSERT_THAT(write_file(folder / "counts.lua",
                         "return projection { key = function(event) return event.stream end,\n"
                         "  on = { Placed = function(row, event) row.n = (row.n or 0) + 1 end } }\n"),
              succeeds());
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"append", "order-42", "--type", "Placed", "--data", "{}", "--url", url},
           {"projection", "deploy", "counts", (folder / "counts.lua").string(), "--wait", "--url", url},
           {"read", "--all", "--url", url}}) {
    const Finished done = run_cairn(words);
    EXPECT_EQ(done.exit_code, 0) << done.errors;
  }
  ::kill(traced.pid, SIGTERM);
  EXPECT_TRUE(server.wait().clean()) << describe(server.wait());
  traced.pid = -1;

  const std::set<std::string> calls = counted_calls(table);
  EXPECT_THAT(calls, Contains("setpriority"));  // of the threads in the background
  EXPECT_THAT(calls, Contains("fdatasync"));
  const std::set<std::string> allowed = allowed_calls();
  EXPECT_THAT(allowed, Not(Contains("ptrace")));
  EXPECT_THAT(allowed, Not(Contains("chown")));
  std::vector<std::string> refused;
  std::set_difference(calls.begin(), calls.end(), allowed.begin(), allowed.end(),
                      std::back_inserter(refused));
  EXPECT_THAT(refused, IsEmpty());
}

}  // namespace
}  // namespace cairn::test

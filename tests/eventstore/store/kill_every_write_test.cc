// Runs a script of appends, flushes and reopenings, killed at its first system call that changes a file,
// then at its second, until none is left.

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/io_fault.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

struct ScriptedAppend {
  std::string stream;
  std::string expected;
  std::uint64_t first_id;
  std::size_t count;
  std::size_t bytes;

  std::string line() const {
    return "append " + stream + " " + expected + " " + std::to_string(first_id) + " " +
           std::to_string(count) + " " + std::to_string(bytes);
  }
  AppendRequest request() const {
    std::vector<NewEvent> events;
    for (std::size_t i = 0; i < count; ++i) events.push_back(numbered_event(first_id + i, bytes));
    return test::request({to(
        stream, expected == "any" ? ExpectedVersion::any() : ExpectedVersion::exactly(std::stoull(expected)),
        events)});
  }
};

// A new store, small and large appends, flushes, and a reopening.
const std::vector<ScriptedAppend> kAppends = {
    {"a-1", "0", 10, 1, 10},   {"b-1", "any", 20, 3, 100}, {"c-1", "any", 30, 2, 6'000},
    {"a-1", "1", 40, 1, 10},   {"b-1", "3", 50, 1, 2'000}, {"d-1", "any", 60, 8, 500},
    {"a-1", "any", 70, 2, 10}, {"c-1", "2", 80, 1, 100},
};

class KillEveryWriteTest : public StoreTest {
 protected:
  static std::vector<std::string> script() {
    std::vector<std::string> lines = {"open"};
    for (std::size_t i = 0; i < kAppends.size(); ++i) {
      lines.push_back(kAppends[i].line());
      if (i == 3) lines.insert(lines.end(), {"flush"});
      if (i == 5) lines.insert(lines.end(), {"close", "open"});
      if (i == 6) lines.insert(lines.end(), {"flush"});
    }
    lines.push_back("close");
    return lines;
  }

  ChildProcess::Command child_command() const {
    return {{test_program("store_child").string(), folder().string()}, {}};
  }

  // Runs the script to its end or the child's, and keeps the answers to its appends.
  Exit run_script(const ChildProcess::Command& command) {
    answers_.clear();
    std::filesystem::remove_all(folder());
    ChildProcess child(command);
    for (const std::string& line : script()) {
      const std::string answer = child.ask(line);
      if (line.starts_with("append")) answers_.push_back(answer);
      if (answer == "gone") break;
      EXPECT_TRUE(answer.starts_with("ok")) << line << " -> " << answer;
    }
    child.close_input();
    return child.wait();
  }

  // Every acknowledged append is there as it was answered; each other one is there whole or not at all; and
  // when all are retried, the store has each event once.
  void expect_recovered() {
    open();
    if (HasFatalFailure()) return;
    std::map<Uuid, Event> found;
    auto before = value_of(scan_all(store()));
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].position, i + 1);
      EXPECT_TRUE(is_as_numbered(before[i])) << before[i];
      EXPECT_TRUE(found.emplace(before[i].id, before[i]).second) << "twice: " << before[i];
    }
    for (std::size_t i = 0; i < kAppends.size(); ++i) {
      std::size_t present = 0;
      for (std::size_t n = 0; n < kAppends[i].count; ++n)
        present += found.count(id(kAppends[i].first_id + n));
      const bool acknowledged = i < answers_.size() && answers_[i].starts_with("ok");
      if (acknowledged) {
        std::uint64_t version = 0, position = 0;
        std::string ok;
        std::istringstream(answers_[i]) >> ok >> version >> position;
        EXPECT_EQ(present, kAppends[i].count) << "acknowledged and lost: " << kAppends[i].line();
        EXPECT_EQ(found[id(kAppends[i].first_id)].version, version);
        EXPECT_EQ(found[id(kAppends[i].first_id)].position, position);
      }
      EXPECT_TRUE(present == 0 || present == kAppends[i].count) << "half a batch: " << kAppends[i].line();
    }
    for (const ScriptedAppend& append : kAppends)
      EXPECT_THAT(submit(append.request()), succeeds()) << append.line();
    std::size_t events = 0;
    for (const ScriptedAppend& append : kAppends) events += append.count;
    EXPECT_EQ(value_of(scan_all(store())).size(), events);
    EXPECT_EQ(events_in("a-1").size(), 4u);
    EXPECT_EQ(events_in("b-1", Direction::kBackward).size(), 4u);
    EXPECT_EQ(log({{"c"}, {}}).size(), 3u);
    expect_sound();
  }

  std::vector<std::string> answers_;
  IoFaultPanel panel_;
};

TEST_F(KillEveryWriteTest, TheScriptSucceedsWithoutAKill) {
  EXPECT_TRUE(run_script(child_command()).clean());
  EXPECT_EQ(answers_.size(), kAppends.size());
  expect_recovered();
}

TEST_F(KillEveryWriteTest, KilledAtEveryCallThatChangesAFile) {
  Random random("KillEveryWriteTest");
  auto command = child_command();
  panel_.connect(command);
  panel_.arm({.folder = folder(), .suffix = ""});
  ASSERT_TRUE(run_script(command).clean());
  const std::uint64_t calls = panel_.matched();
  ASSERT_GT(calls, kAppends.size() * 2) << "the calls are not seen";

  const std::uint64_t step = nightly() ? 1 : 3 * kSanitizerDivisor;
  std::uint64_t killed = 0, number = nightly() ? 1 : random.between(1, step);
  for (;; number += step) {
    for (IoEffect effect : {IoEffect::kBefore, IoEffect::kHalf, IoEffect::kAfter}) {
      if (!nightly() && effect != static_cast<IoEffect>((number / step) % 3)) continue;
      SCOPED_TRACE("call " + std::to_string(number) + " of about " + std::to_string(calls) + ", effect " +
                   std::to_string(static_cast<int>(effect)));
      panel_.arm(
          {.folder = folder(), .suffix = "", .at = number, .effect = effect, .action = IoAction::kKill});
      const Exit exit = run_script(command);
      panel_.disarm();
      if (exit.clean()) {
        // Nothing was left to kill. Runs differ a little in how calls fall together, so the first run's count
        // is a guide.
        EXPECT_GE(number * 10, calls * 8) << "the script ended without reaching the call";
        EXPECT_GE(killed * step * 2, calls * (nightly() ? 3 : 1)) << "too few kills to speak of every call";
        return;
      }
      ASSERT_EQ(exit.signal, SIGKILL) << describe(exit);
      ++killed;
      expect_recovered();
      if (HasFailure()) return;
    }
  }
}

class StraceTest : public KillEveryWriteTest {
 protected:
  static std::optional<std::string> strace() {
    for (const char* path : {"/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"}) {
      if (!std::filesystem::exists(path)) continue;
      ChildProcess probe({{path, "-o", "/dev/null", "/bin/true"}, {}});
      if (probe.wait().clean()) return path;
    }
    return std::nullopt;
  }

  ChildProcess::Command traced(std::vector<std::string> arguments, ChildProcess::Command command) const {
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    command.arguments = std::move(arguments);
    // The leak checker traces too, and there can be only one.
    command.environment.emplace_back("LSAN_OPTIONS", "detect_leaks=0");
    return command;
  }
};

constexpr const char* kWritingCalls =
    "write,pwrite64,writev,pwritev,pwritev2,fdatasync,fsync,sync_file_range,ftruncate,fallocate,rename,"
    "renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,copy_file_range,sendfile";

// The test above depends on the interposer: it must see every call that the kernel sees.
TEST_F(StraceTest, TheInterposerSeesEveryCallTheKernelSees) {
  auto tool = strace();
  if (!tool) GTEST_SKIP() << "strace is not installed or may not trace here";
  if (kSanitizerDivisor > 1) GTEST_SKIP() << "the runtime of a sanitizer intercepts the calls";
  TempFolder output;
  const std::string trace = (output / "trace").string();
  auto command = child_command();
  panel_.connect(command);
  // Preloaded into the store's process only, not into strace.
  std::vector<std::string> arguments = {
      *tool, "-f", "-y", "-o", trace, "-e", std::string("trace=") + kWritingCalls};
  for (const auto& [name, value] : command.environment)
    arguments.insert(arguments.end(), {"-E", name + "=" + value});
  command.environment.clear();
  panel_.arm({.folder = folder(), .suffix = ""});
  ASSERT_TRUE(run_script(traced(arguments, command)).clean());
  std::uint64_t kernel = 0;
  std::ifstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(folder().string()) != std::string::npos && line.find("resumed>") == std::string::npos)
      ++kernel;
  }
  EXPECT_EQ(panel_.matched(), kernel);
}

// strace counts for each call and each thread by itself, so each call gets its own runs.
TEST_F(StraceTest, KilledByStraceAtEveryKindOfCall) {
  auto tool = strace();
  if (!tool) GTEST_SKIP() << "strace is not installed or may not trace here";
  Random random("StraceTest");
  std::size_t killed = 0;
  for (const char* call : {"pwrite64", "writev", "pwritev", "fdatasync", "fsync", "write", "ftruncate",
                           "fallocate", "rename", "mkdir"}) {
    std::uint64_t number = nightly() ? 1 : random.between(1, 4);
    for (;; number += nightly() ? 1 : random.between(3, 12) * kSanitizerDivisor) {
      SCOPED_TRACE(std::string(call) + " number " + std::to_string(number));
      const Exit exit = run_script(
          traced({*tool, "-f", "-qq", "-o", "/dev/null", "-e", std::string("trace=") + call, "-e",
                  std::string("inject=") + call + ":signal=SIGKILL:when=" + std::to_string(number)},
                 child_command()));
      if (exit.clean()) break;
      ASSERT_EQ(exit.signal, SIGKILL) << describe(exit);
      ++killed;
      expect_recovered();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(killed, 3u);
}

}  // namespace
}  // namespace cairn::test

// A store of version 0.1 whose index is being extended, which gets its first blocks of format 2 and several
// flushes meanwhile, killed at its first system call that changes a file, then at its second, until none is left.

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/format_1_index.h"
#include "tests/support/io_fault.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

constexpr std::uint64_t kOlder = 300;  // events
constexpr std::uint64_t kNewer = 24;

class KillIndexFillTest : public StoreTest {
 protected:
  void SetUp() override {
    options().log_format = LogFormat::k1;
    for (std::uint64_t n = 1; n <= kOlder; n += 3)
      append("old-" + std::to_string(n % 7),
             {numbered_event(n, 40), numbered_event(n + 1, 40), numbered_event(n + 2, 40)});
    close();
    ASSERT_THAT(make_format_1_index(folder()), succeeds());
    std::filesystem::copy(folder(), template_.path(), std::filesystem::copy_options::recursive);
    options().log_format = LogFormat::k2;
  }

  // Flushes make runs, which are merged in the background.
  static std::vector<std::string> script() {
    std::vector<std::string> lines = {"open"};
    for (std::uint64_t n = 1; n <= kNewer; n += 4) {
      lines.push_back("append new-" + std::to_string(n % 3) + " any " + std::to_string(kOlder + n) + " 4 40");
      lines.push_back("flush");
    }
    lines.insert(lines.end(), {"indexed", "close"});
    return lines;
  }

  Exit run_script(const ChildProcess::Command& command) {
    std::filesystem::remove_all(folder());
    std::filesystem::copy(template_.path(), folder(), std::filesystem::copy_options::recursive);
    acknowledged_ = 0;
    ChildProcess child(command);
    for (const std::string& line : script()) {
      const std::string answer = child.ask(line);
      if (answer == "gone") break;
      EXPECT_TRUE(answer.starts_with("ok")) << line << " -> " << answer;
      if (line.starts_with("append")) acknowledged_ += 4;
    }
    child.close_input();
    return child.wait();
  }

  ChildProcess::Command child_command() const {
    return {{test_program("store_child").string(), folder().string()}, {{"CAIRN_TEST_LOG_FORMATS", "2"}}};
  }

  // Nothing is lost, the index becomes complete, and agrees with the log.
  void expect_recovered() {
    open();
    if (HasFatalFailure()) return;
    ASSERT_GE(head(), kOlder + acknowledged_);
    while (!store().index_progress().complete()) {
      const auto tagged = store().read_log({.filter = {.tags = {"third"}}});
      if (!tagged.ok()) {
        EXPECT_THAT(tagged, fails_with(Errc::kNotYet));
      }
      std::this_thread::yield();
    }
    std::vector<std::uint64_t> third;
    for (std::uint64_t n = 1; n <= head(); ++n)
      if (n % 3 == 0) third.push_back(n);
    EXPECT_EQ(positions_of(log({.tags = {"third"}})), third);
    EXPECT_EQ(log({.categories = {"old"}}).size(), kOlder);
    EXPECT_EQ(log({.correlation = "c-10"}).size(), 4u);
    append("after-1", {"A"});
    expect_sound();
  }

  TempFolder template_;
  IoFaultPanel panel_;
  std::uint64_t acknowledged_ = 0;
};

TEST_F(KillIndexFillTest, KilledAtEveryCallThatChangesAFile) {
  Random random("KillIndexFillTest");
  auto command = child_command();
  panel_.connect(command);
  panel_.arm({.folder = folder(), .suffix = ""});
  ASSERT_TRUE(run_script(command).clean());
  expect_recovered();
  const std::uint64_t calls = panel_.matched();
  ASSERT_GT(calls, 50u) << "the calls are not seen";
  const std::uint64_t step = nightly() ? 1 : 5 * kSanitizerDivisor;
  std::uint64_t killed = 0;
  for (std::uint64_t number = nightly() ? 1 : random.between(1, step);; number += step) {
    SCOPED_TRACE("call " + std::to_string(number) + " of about " + std::to_string(calls));
    panel_.arm({.folder = folder(),
                .suffix = "",
                .at = number,
                .effect = static_cast<IoEffect>((number / step) % 3),
                .action = IoAction::kKill});
    const Exit exit = run_script(command);
    panel_.disarm();
    if (exit.clean()) {
      EXPECT_GE(killed * step * 2, calls) << "too few kills to speak of every call";
      return;
    }
    ASSERT_EQ(exit.signal, SIGKILL) << describe(exit);
    ++killed;
    expect_recovered();
    if (HasFailure()) return;
  }
}

// What is being written when the disk is full is deleted, and written again when there is space.
TEST_F(KillIndexFillTest, AFullDiskDelaysIt) {
  auto command = child_command();
  panel_.connect(command);
  std::filesystem::remove_all(folder());
  std::filesystem::copy(template_.path(), folder(), std::filesystem::copy_options::recursive);
  ChildProcess child(command);
  panel_.arm({.folder = folder(),
              .suffix = "/index/data.mdb",
              .calls = kIoWrite,
              .at = 1,
              .forever = true,
              .error = ENOSPC});
  ASSERT_EQ(child.ask("open"), "ok");
  EXPECT_TRUE(child.ask("append new-1 any 301 4 40").starts_with("ok"));
  EXPECT_TRUE(child.ask("progress").starts_with("ok 0 ")) << "nothing can be written";
  panel_.disarm();
  EXPECT_EQ(child.ask("indexed"), "ok");
  EXPECT_EQ(child.ask("close"), "ok");
  child.close_input();
  EXPECT_TRUE(child.wait().clean());
  acknowledged_ = 4;
  expect_recovered();
}

}  // namespace
}  // namespace cairn::test

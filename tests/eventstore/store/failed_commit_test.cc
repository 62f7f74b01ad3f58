// A commit that fails: no answer is wrong, nothing more is written, and a new process recovers the log.

#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/io_fault.h"
#include "tests/support/numbered_events.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::StartsWith;

// The calls of a commit that can fail. LMDB writes its meta page, some hundred bytes, through a descriptor
// that syncs.
struct Site {
  const char* name;
  std::uint32_t calls;
  std::uint64_t bytes_max;
  IoEffect effect;
  bool forever;
};
void PrintTo(const Site& site, std::ostream* out) { *out << site.name; }

class FailedCommitTest : public StoreTest, public ::testing::WithParamInterface<Site> {
 protected:
  static constexpr std::size_t kPending = 40;

  void start() {
    ChildProcess::Command command{{test_program("store_child").string(), folder().string()}, {}};
    panel_.connect(command);
    child_ = std::make_unique<ChildProcess>(command);
    ASSERT_EQ(child_->ask("open"), "ok");
  }
  void arm() {
    panel_.arm({.folder = folder(),
                .suffix = "/log/journal",
                .calls = GetParam().calls,
                .bytes_max = GetParam().bytes_max,
                .at = 1,
                .forever = GetParam().forever,
                .effect = GetParam().effect});
  }
  std::string append_in_child(const std::string& stream, std::uint64_t n) {
    return remember(n, child_->ask("append " + stream + " any " + std::to_string(n) + " 1 " +
                                   std::to_string(event_bytes_)));
  }
  std::vector<std::string> append_many_in_child(const std::string& stream, std::uint64_t first) {
    std::vector<std::string> answers;
    child_->write_line("async " + stream + " " + std::to_string(first) + " " + std::to_string(kPending));
    for (std::size_t i = 0; i < kPending; ++i)
      answers.push_back(remember(first + i, child_->read_line().value_or("gone")));
    return answers;
  }
  std::string remember(std::uint64_t n, const std::string& answer) {
    std::string ok;
    std::uint64_t version = 0, position = 0;
    std::istringstream(answer) >> ok >> version >> position;
    if (ok == "ok") acknowledged_[n] = position;
    return answer;
  }
  void stop() {
    child_->close_input();
    EXPECT_TRUE(child_->wait().clean()) << describe(child_->wait());
    child_.reset();
    panel_.disarm();
  }

  // A new process finds every acknowledged event; when the other appends are retried, each event is stored
  // once.
  void expect_truth_after_restart(const std::vector<std::uint64_t>& sent) {
    open();
    if (HasFatalFailure()) return;
    auto events = value_of(scan_all(store()));
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].position, i + 1);
    for (const auto& [n, position] : acknowledged_) {
      ASSERT_LE(position, events.size()) << "acknowledged and lost";
      EXPECT_EQ(events[position - 1].id, id(n));
      EXPECT_TRUE(is_as_numbered(events[position - 1]));
    }
    for (std::uint64_t n : sent)
      EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), {numbered_event(n, event_bytes_)}),
                  succeeds());
    EXPECT_EQ(head(), sent.size());
    std::map<Uuid, int> times;
    for (const Event& event : value_of(scan_all(store()))) ++times[event.id];
    for (std::uint64_t n : sent) EXPECT_EQ(times[id(n)], 1) << n;
    expect_sound();
  }

  std::uint64_t event_bytes_ = 50;
  IoFaultPanel panel_;
  std::unique_ptr<ChildProcess> child_;
  std::map<std::uint64_t, std::uint64_t> acknowledged_;
};

INSTANTIATE_TEST_SUITE_P(, FailedCommitTest,
                         ::testing::Values(Site{"SyncOnce", kIoSync, 0, IoEffect::kBefore, false},
                                           Site{"SyncForever", kIoSync, 0, IoEffect::kBefore, true},
                                           Site{"SyncDone", kIoSync, 0, IoEffect::kAfter, false},
                                           Site{"DataOnce", kIoWrite, 0, IoEffect::kBefore, false},
                                           Site{"DataForever", kIoWrite, 0, IoEffect::kBefore, true},
                                           Site{"DataHalf", kIoWrite, 0, IoEffect::kHalf, false}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FailedCommitTest, AnswersOutcomeUnknownThenStopsAndARestartRecovers) {
  start();
  std::vector<std::uint64_t> sent;
  for (std::uint64_t n = 1; n <= 5; ++n) {
    EXPECT_THAT(append_in_child("cart-1", n), StartsWith("ok"));
    sent.push_back(n);
  }
  arm();
  auto pending = append_many_in_child("cart-1", 100);
  for (std::uint64_t n = 100; n < 100 + kPending; ++n) sent.push_back(n);
  ASSERT_GE(panel_.fired(), 1u) << "the fault did not happen, so nothing was tested";
  const std::string unknown = "err " + std::string(to_string(Errc::kOutcomeUnknown));
  const std::string stopped = "err " + std::string(to_string(Errc::kFailedPrecondition));
  EXPECT_THAT(pending[0], StartsWith(unknown)) << "it was in the commit that failed";
  for (const std::string& answer : pending)
    EXPECT_THAT(answer, ::testing::AnyOf(StartsWith(unknown), StartsWith(stopped)));

  const std::uint64_t writes_when_stopped = panel_.later();
  EXPECT_THAT(append_in_child("cart-1", 200), StartsWith(stopped));
  EXPECT_THAT(append_in_child("cart-2", 201), StartsWith(stopped));
  EXPECT_EQ(panel_.later(), writes_when_stopped) << "a stopped store wrote to its log";
  EXPECT_EQ(child_->ask("fatal"), "ok 1");
  // Reads may fail after the commit, because LMDB may refuse them too; but they must not report corruption.
  EXPECT_THAT(child_->ask("digest"),
              ::testing::AnyOf(StartsWith("ok"), StartsWith(stopped), StartsWith("err io-error")));
  EXPECT_EQ(child_->ask("head"), "ok 5") << "nothing is seen that is not known to be on disk";
  stop();
  EXPECT_EQ(panel_.later(), writes_when_stopped) << "closing wrote to the log";
  EXPECT_LE(panel_.fired() + panel_.later(), 2u) << "a failed commit was tried again";
  expect_truth_after_restart(sent);
}

// LMDB's own commit, which settles acknowledged blocks from the journal.
class FailedSettleTest : public FailedCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FailedSettleTest,
                         ::testing::Values(Site{"SyncOnce", kIoSync, 0, IoEffect::kBefore, false},
                                           Site{"SyncDone", kIoSync, 0, IoEffect::kAfter, false},
                                           Site{"MetaPageOnce", kIoWrite, 256, IoEffect::kBefore, false},
                                           Site{"MetaPageForever", kIoWrite, 256, IoEffect::kBefore, true},
                                           Site{"MetaPageDone", kIoWrite, 256, IoEffect::kAfter, false},
                                           Site{"DataForever", kIoWrite, 0, IoEffect::kBefore, true},
                                           Site{"DataHalf", kIoWrite, 0, IoEffect::kHalf, false}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FailedSettleTest, StopsTheStoreAndLosesNothing) {
  start();
  panel_.arm({.folder = folder(),
              .suffix = "/log/data.mdb",
              .calls = GetParam().calls,
              .bytes_max = GetParam().bytes_max,
              .at = 1,
              .forever = GetParam().forever,
              .effect = GetParam().effect});
  // The journal is small: when it is full, appends wait for LMDB's commit and get its error.
  std::vector<std::uint64_t> sent;
  std::string answer = "ok";
  for (std::uint64_t n = 1; n <= 200 && answer.starts_with("ok"); ++n) {
    answer = append_in_child("cart-1", n);
    sent.push_back(n);
  }
  ASSERT_GE(panel_.fired(), 1u);
  EXPECT_THAT(answer, StartsWith("err " + std::string(to_string(Errc::kFailedPrecondition))));
  EXPECT_EQ(child_->ask("fatal"), "ok 1");
  const std::uint64_t writes_when_stopped = panel_.later();
  EXPECT_THAT(append_in_child("cart-2", 300), StartsWith("err"));
  stop();
  EXPECT_EQ(panel_.later(), writes_when_stopped) << "a failed commit was tried again";
  expect_truth_after_restart(sent);
}

// A full disk in the middle of a commit, which happens on sparse and on reflinked files.
class FullDiskCommitTest : public FailedCommitTest {
 protected:
  void arm(const std::string& suffix) {
    panel_.arm({.folder = folder(),
                .suffix = suffix,
                .calls = GetParam().calls,
                .bytes_max = GetParam().bytes_max,
                .at = 1,
                .forever = GetParam().forever,
                .effect = GetParam().effect,
                .error = ENOSPC});
  }
};

class FullDiskJournalTest : public FullDiskCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FullDiskJournalTest,
                         ::testing::Values(Site{"DataOnce", kIoWrite, 0, IoEffect::kBefore, false},
                                           Site{"DataHalf", kIoWrite, 0, IoEffect::kHalf, false},
                                           Site{"DataForever", kIoWrite, 0, IoEffect::kBefore, true}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FullDiskJournalTest, RefusesTheAppendAndGoesOnWhenThereIsSpace) {
  event_bytes_ = 6'000;  // two pages, so that half of them is not the whole block
  start();
  EXPECT_THAT(append_in_child("cart-1", 1), StartsWith("ok"));
  arm("/log/journal");
  EXPECT_THAT(append_in_child("cart-1", 2), StartsWith("err " + std::string(to_string(Errc::kDiskFull))));
  ASSERT_EQ(panel_.fired(), 1u);
  panel_.disarm();
  EXPECT_EQ(append_in_child("cart-1", 3), "ok 2 2 0") << "the refused append left no trace";
  EXPECT_EQ(append_in_child("cart-1", 2), "ok 3 3 0");
  EXPECT_EQ(child_->ask("fatal"), "ok 0");
  child_->kill(SIGKILL);
  child_->wait();
  expect_truth_after_restart({1, 2, 3});
}

// The block is there although the write failed, or the sync failed: nothing tells what a power cut would leave.
class FullDiskUnknownTest : public FullDiskCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FullDiskUnknownTest,
                         ::testing::Values(Site{"DataDone", kIoWrite, 0, IoEffect::kAfter, false},
                                           Site{"PaddingMissing", kIoWrite, 0, IoEffect::kHalf, false},
                                           Site{"Sync", kIoSync, 0, IoEffect::kBefore, false}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FullDiskUnknownTest, AnswersOutcomeUnknownAndStops) {
  start();
  EXPECT_THAT(append_in_child("cart-1", 1), StartsWith("ok"));
  arm("/log/journal");
  EXPECT_THAT(append_in_child("cart-1", 2),
              StartsWith("err " + std::string(to_string(Errc::kOutcomeUnknown))));
  EXPECT_EQ(child_->ask("fatal"), "ok 1");
  stop();
  expect_truth_after_restart({1, 2});
}

class FullDiskSettleTest : public FullDiskCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FullDiskSettleTest,
                         ::testing::Values(Site{"DataOnce", kIoWrite, 0, IoEffect::kBefore, false},
                                           Site{"DataHalf", kIoWrite, 0, IoEffect::kHalf, false},
                                           Site{"DataForever", kIoWrite, 0, IoEffect::kBefore, true},
                                           Site{"SyncOnce", kIoSync, 0, IoEffect::kBefore, false}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FullDiskSettleTest, IsTriedAgain) {
  start();
  arm("/log/data.mdb");
  std::vector<std::uint64_t> sent;
  for (std::uint64_t n = 1; n <= 60; ++n) {
    const std::string answer = append_in_child("cart-1", n);
    EXPECT_THAT(answer, ::testing::AnyOf(StartsWith("ok"),
                                         StartsWith("err " + std::string(to_string(Errc::kDiskFull)))));
    sent.push_back(n);
  }
  ASSERT_GE(panel_.fired(), 1u);
  panel_.disarm();
  EXPECT_THAT(append_in_child("cart-1", 100), StartsWith("ok"));
  sent.push_back(100);
  EXPECT_EQ(child_->ask("fatal"), "ok 0");
  stop();
  expect_truth_after_restart(sent);
}

class FullDiskMetaPageTest : public FullDiskCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FullDiskMetaPageTest,
                         ::testing::Values(Site{"Once", kIoWrite, 256, IoEffect::kBefore, false},
                                           Site{"Done", kIoWrite, 256, IoEffect::kAfter, false}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST_P(FullDiskMetaPageTest, StopsTheStoreAndLosesNothing) {
  start();
  arm("/log/data.mdb");
  std::vector<std::uint64_t> sent;
  std::string answer = "ok";
  for (std::uint64_t n = 1; n <= 200 && answer.starts_with("ok"); ++n) {
    answer = append_in_child("cart-1", n);
    sent.push_back(n);
  }
  EXPECT_THAT(answer, StartsWith("err " + std::string(to_string(Errc::kFailedPrecondition))));
  EXPECT_EQ(child_->ask("fatal"), "ok 1");
  stop();
  expect_truth_after_restart(sent);
}

class StartOnABadDiskTest : public StoreTest {
 protected:
  std::unique_ptr<ChildProcess> start() {
    ChildProcess::Command command{{test_program("store_child").string(), folder().string()}, {}};
    panel_.connect(command);
    return std::make_unique<ChildProcess>(command);
  }

  IoFaultPanel panel_;
};

// The journal says that blocks of format 2 follow before the first one does. After a failed sync it is
// unknown what of it is on disk.
TEST_F(StartOnABadDiskTest, AFailedSyncOfTheFormatStopsTheStore) {
  ChildProcess::Command command{{test_program("store_child").string(), folder().string()},
                                {{"CAIRN_TEST_LOG_FORMATS", "12"}}};
  panel_.connect(command);
  ChildProcess child(command);
  ASSERT_EQ(child.ask("open"), "ok");
  EXPECT_THAT(child.ask("append cart-1 any 1 1 50"), StartsWith("ok"));
  ASSERT_EQ(child.ask("close"), "ok");
  ASSERT_EQ(child.ask("open"), "ok");
  panel_.arm({.folder = folder(), .suffix = "/log/journal", .calls = kIoSync, .at = 1});
  const std::string stopped = "err " + std::string(to_string(Errc::kFailedPrecondition));
  EXPECT_THAT(child.ask("append cart-1 any 2 1 50"), StartsWith(stopped));
  EXPECT_EQ(panel_.fired(), 1u);
  EXPECT_THAT(child.ask("append cart-1 any 3 1 50"), StartsWith(stopped));
  EXPECT_EQ(panel_.later(), 0u) << "a stopped store wrote to its log";
  EXPECT_EQ(child.ask("fatal"), "ok 1");
  EXPECT_EQ(child.ask("head"), "ok 1");
  child.close_input();
  EXPECT_TRUE(child.wait().clean());
  panel_.disarm();
  append("cart-1", {"B"});
  EXPECT_EQ(head(), 2u);
  expect_sound();
}

// A killed process may leave a block that was written and not synced. It is served after a restart, so it must
// be on disk before: a power cut could take it away again. When it settles, LMDB's sync makes it durable; on a
// full disk it does not settle.
TEST_F(StartOnABadDiskTest, TheJournalIsSyncedBeforeItsBlocksAreServed) {
  auto child = start();
  ASSERT_EQ(child->ask("open"), "ok");
  panel_.arm({.folder = folder(),
              .suffix = "/log/data.mdb",
              .calls = kIoSpace,
              .at = 1,
              .forever = true,
              .error = ENOSPC});
  EXPECT_THAT(child->ask("append cart-1 any 1 1 50"), StartsWith("ok"));
  child->kill(SIGKILL);
  child->wait();

  panel_.arm({.folder = folder(), .suffix = "/log/journal", .calls = kIoSync, .at = 1});
  child = start();
  EXPECT_THAT(child->ask("open"), StartsWith("err " + std::string(to_string(Errc::kIo))));
  EXPECT_EQ(panel_.fired(), 1u) << "the journal was not synced";
  panel_.disarm();
  EXPECT_EQ(child->ask("open"), "ok");
  EXPECT_EQ(child->ask("append cart-1 any 1 1 50"), "ok 1 1 1");
}

// The file `lock` names the process for a message; a store on a full disk opens without it.
TEST_F(StartOnABadDiskTest, ALockFileWithoutSpaceRefusesNoStart) {
  append("cart-1", {"A"});
  close();
  panel_.arm(
      {.folder = folder(), .suffix = "/lock", .calls = kIoWrite, .at = 1, .forever = true, .error = ENOSPC});
  const auto child = start();
  EXPECT_EQ(child->ask("open"), "ok");
  EXPECT_EQ(panel_.fired(), 1u);
  EXPECT_THAT(try_open(), fails_with(Errc::kFailedPrecondition)) << "the lock is held all the same";
}

class FailedFlushTest : public FailedCommitTest {};
INSTANTIATE_TEST_SUITE_P(, FailedFlushTest,
                         ::testing::Values(Site{"SyncOnce", kIoSync, 0, IoEffect::kBefore, false},
                                           Site{"MetaPageDone", kIoWrite, 256, IoEffect::kAfter, false},
                                           Site{"WritesForever", kIoWrite, 0, IoEffect::kBefore, true}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

// The index is built from the log: when a flush fails, no acknowledged event is lost.
TEST_P(FailedFlushTest, LosesNoEvents) {
  start();
  std::vector<std::uint64_t> sent;
  for (std::uint64_t n = 1; n <= 5; ++n) {
    EXPECT_THAT(append_in_child("cart-1", n), StartsWith("ok"));
    sent.push_back(n);
  }
  panel_.arm({.folder = folder(),
              .suffix = "/index/data.mdb",
              .calls = GetParam().calls,
              .bytes_max = GetParam().bytes_max,
              .at = 1,
              .forever = GetParam().forever,
              .effect = GetParam().effect});
  EXPECT_THAT(child_->ask("flush"), StartsWith("err"));
  ASSERT_GE(panel_.fired(), 1u);
  // Reads continue, unless LMDB has given the index up for this process; then they fail and ask for a
  // restart.
  EXPECT_THAT(child_->ask("digest"),
              ::testing::AnyOf(StartsWith("ok"),
                               StartsWith("err " + std::string(to_string(Errc::kFailedPrecondition)))));
  child_->close_input();
  EXPECT_TRUE(child_->wait().clean());
  panel_.disarm();
  expect_truth_after_restart(sent);
}

}  // namespace
}  // namespace cairn::test

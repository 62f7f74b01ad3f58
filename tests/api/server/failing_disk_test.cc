// A full disk and a failing disk: the answers to clients, and recovery after a restart.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/support/io_fault.h"
#include "tests/support/small_disk.h"

namespace cairn::test {
namespace {

using namespace std::chrono_literals;

class FailingDiskTest : public ApiTest {
 protected:
  // A server whose system calls the panel can make fail.
  void serve_with_panel() {
    ChildProcess::Command command;
    panel_.connect(command);
    serve({"--schemas", "optional"}, {.input = "", .variables = command.environment});
  }
  IoFaultPanel panel_;
};

TEST_F(FailingDiskTest, AFullDiskRefusesAppendsUntilThereIsSpace) {
  SmallDisk disk(SmallDisk::Kind::kTmpfs, 160u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  keep_data_in((disk.path() / "data").string());
  serve();
  ASSERT_EQ(append("a-1", {event_text("T")}).status, 201);
  disk.fill_up();
  const std::string large = event_text("T", "\"" + std::string(1u << 20, 'x') + "\"");
  HttpAnswer answer;
  std::uint64_t stored = 1;
  for (int i = 0; i < 300; ++i) {
    answer = append("a-1", {large});
    if (answer.status != 201) break;
    ++stored;
  }
  problem(answer, 507, "disk-full");
  EXPECT_EQ(head(), stored) << "what was refused is not stored";
  EXPECT_EQ(get("/streams/a-1").json()["version"], stored);
  EXPECT_EQ(get("/streams/a-1/events?limit=1").status, 200) << "reads go on";
  EXPECT_EQ(raw().get("/health").status, 200);

  disk.free_up();
  EXPECT_EQ(append("a-1", {large}, std::to_string(stored)).status, 201) << "without a new start";
  EXPECT_EQ(stop_server().exit_code, 0);
}

TEST_F(FailingDiskTest, AFailedSyncIsAnUnknownOutcomeAndEndsTheProcess) {
  serve_with_panel();
  ASSERT_EQ(append("a-1", {event_text("T", "1", uuid(1))}).status, 201);
  panel_.arm({.folder = folder(), .suffix = "/log/journal", .calls = kIoSync, .at = 1});
  const std::vector<std::string> events = {event_text("T", "1", uuid(2)), event_text("T")};
  const HttpAnswer answer = append("a-1", events);
  ASSERT_GE(panel_.fired(), 1u) << "the fault did not happen, so nothing was tested";
  const Json unknown = problem(answer, 500, "outcome-unknown");
  EXPECT_EQ(unknown["eventIds"], Json({uuid(2)})) << "the ids that the client gave";

  const Finished finished = server().finish(10s);
  EXPECT_GT(finished.exit_code, 0) << "it did not end, or as if all were well: " << finished.errors;
  EXPECT_NE(finished.errors, "");

  panel_.disarm();
  serve();
  EXPECT_THAT(head(), ::testing::AnyOf(1u, 3u)) << "all or nothing";
  const HttpAnswer again = append("a-1", {event_text("T", "1", uuid(1))});
  EXPECT_EQ(again.status, 200) << "what was acknowledged is there";
}

TEST_F(FailingDiskTest, AnUnknownOutcomeIsResolvedByRetryingWithTheSameIds) {
  for (const IoEffect effect : {IoEffect::kBefore, IoEffect::kAfter}) {
    SCOPED_TRACE(static_cast<int>(effect));
    serve_with_panel();
    const std::uint64_t before = head();
    panel_.arm({.folder = folder(), .suffix = "/log/journal", .calls = kIoSync, .at = 1, .effect = effect});
    const std::vector<std::string> entries = {entry_text("a-1", {event_text("T", "1", uuid(before + 1))}),
                                              entry_text("b-1", {event_text("T", "1", uuid(before + 2))})};
    const HttpAnswer answer = append_all(entries);
    const Json unknown = problem(answer, 500, "outcome-unknown");
    EXPECT_EQ(unknown["eventIds"], Json({uuid(before + 1), uuid(before + 2)}));
    server().finish(10s);
    panel_.disarm();
    serve();
    EXPECT_THAT(append_all(entries).status, ::testing::AnyOf(200, 201));
    EXPECT_EQ(append_all(entries).status, 200);
    EXPECT_EQ(head(), before + 2) << "each event stands once";
    EXPECT_EQ(stop_server().exit_code, 0);
  }
}

}  // namespace
}  // namespace cairn::test

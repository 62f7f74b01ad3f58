// A refusal or a repeat that rests on a block: it is answered after the commit of that block, and if the commit
// fails the client is told to try again.

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "eventstore/append/appender.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

// A log that keeps no blocks. Each append asks the test for its outcome.
class ScriptedLog final : public BlockLog {
 public:
  explicit ScriptedLog(std::function<Status()> outcome) : outcome_(std::move(outcome)) {}
  Status append(const LogPlace&, std::uint64_t, std::span<const std::byte>) override { return outcome_(); }
  Result<std::unique_ptr<BlockCursor>> cursor() override {
    return make_error(Errc::kIo, "there are no blocks");
  }
  std::uint64_t used_bytes() const override { return 0; }
  unsigned open_readers() const override { return 0; }
  void clear_dead_readers() override {}

 private:
  std::function<Status()> outcome_;
};

class FailedBlockTest : public ::testing::TestWithParam<Errc> {
 protected:
  // The answers of one block, in the order of its requests.
  struct Answers {
    Result<AppendResult> written, repeated, conflict, stale;
  };

  void SetUp() override {
    auto opened = Index::open(folder_.path(), {.map_bytes = 16u << 20});
    ASSERT_THAT(opened, succeeds());
    index_ = *std::move(opened);
    options_ = small_store();
    options_.clock = clock_.function();
    appender_.emplace(
        Appender::Parts{log_, tail_, *index_, head_, window_, {}, {}, LogFormat::k2, {0}}, options_, LogEnd{},
        Appender::Hooks{.make_room = [] { return Status(); }, .before_write = [] { return Status(); }});
  }

  std::future<Result<AppendResult>> send(AppendRequest request) {
    const auto answer = std::make_shared<std::promise<Result<AppendResult>>>();
    appender_->append_async(
        std::make_unique<AsyncAppend>(std::move(request), [this, answer](Result<AppendResult> result) {
          ++answered_;
          answer->set_value(std::move(result));
        }));
    return answer->get_future();
  }

  // Requests of one block: an event and a definition, a repeat of the event, and two that are refused because
  // of them. `outcome` is that of the block's commit.
  Answers in_one_block(std::function<Status()> outcome) {
    std::promise<void> committing, go_on;
    std::atomic<int> commits = 0;
    on_append_ = [&]() -> Status {
      if (commits++ > 0) return outcome();
      committing.set_value();
      go_on.get_future().wait();
      return {};
    };
    auto gate = send(request({to("gate-1", ExpectedVersion::any(), {event("Gate")})}));
    committing.get_future().wait();
    AppendRequest first =
        request({to("cart-1", ExpectedVersion::exactly(0), {event(id(1), "A")}),
                 to(std::string(kDefinitionStream), ExpectedVersion::any(), {event(id(2), "D")})});
    first.origin = Origin::kSystem;
    AppendRequest late = request({to("cart-2", ExpectedVersion::any(), {event("C")})});
    late.checks.revision = SchemaRevision{0};
    auto written = send(first);
    auto repeated = send(first);
    auto conflict = send(request({to("cart-1", ExpectedVersion::exactly(0), {event("B")})}));
    auto stale = send(late);
    go_on.set_value();
    EXPECT_THAT(gate.get(), succeeds());
    Answers answers{written.get(), repeated.get(), conflict.get(), stale.get()};
    EXPECT_EQ(commits, 2);
    on_append_ = nullptr;
    return answers;
  }

  TempFolder folder_;
  ManualClock clock_;
  StoreOptions options_;
  Tail tail_;
  IdWindow window_{7};
  HeadSignal head_;
  std::unique_ptr<Index> index_;
  std::function<Status()> on_append_;
  ScriptedLog log_{[this] { return on_append_ ? on_append_() : Status(); }};
  std::atomic<int> answered_ = 0;
  std::optional<Appender> appender_;
};

INSTANTIATE_TEST_SUITE_P(, FailedBlockTest,
                         ::testing::Values(Errc::kDiskFull, Errc::kIo, Errc::kOutcomeUnknown),
                         [](const auto& chosen) {
                           std::string name(to_string(chosen.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(FailedBlockTest, WhatRestsOnItIsToBeTriedAgain) {
  int answered_in_commit = -1;
  const Answers answers = in_one_block([&]() -> Status {
    answered_in_commit = answered_;
    return make_error(GetParam(), "planted");
  });
  EXPECT_LE(answered_in_commit, 1) << "a request was answered before the block that it rests on";
  EXPECT_THAT(answers.written, fails_with(GetParam()));
  switch (GetParam()) {
    case Errc::kOutcomeUnknown:  // the repeat has the ids of events whose outcome is unknown
      EXPECT_THAT(answers.repeated, fails_with(Errc::kOutcomeUnknown));
      EXPECT_THAT(answers.conflict, fails_with(Errc::kFailedPrecondition));
      EXPECT_THAT(answers.stale, fails_with(Errc::kFailedPrecondition));
      return;
    case Errc::kDiskFull:
      for (const auto* answer : {&answers.repeated, &answers.conflict, &answers.stale})
        EXPECT_THAT(*answer, fails_with(Errc::kDiskFull));
      break;
    default:
      for (const auto* answer : {&answers.repeated, &answers.conflict, &answers.stale})
        EXPECT_THAT(*answer, fails_with(Errc::kOverloaded));
  }
  for (const auto* answer : {&answers.repeated, &answers.conflict, &answers.stale})
    EXPECT_EQ(answer->error().check, std::nullopt) << "a check is named that may hold without the block";

  // The log has none of the block, so the event is not a repeat when it comes again.
  const Answers again = in_one_block([] { return Status(); });
  ASSERT_THAT(again.written, succeeds());
  EXPECT_FALSE(again.written->already_applied);
  EXPECT_EQ(again.written->streams[0].first_version, StreamVersion{1});
  ASSERT_THAT(again.repeated, succeeds());
  EXPECT_TRUE(again.repeated->already_applied);
  EXPECT_EQ(again.conflict.error().check, AppendCheck::kVersions);
  EXPECT_EQ(again.stale.error().check, AppendCheck::kRevision);
}

}  // namespace
}  // namespace cairn::test

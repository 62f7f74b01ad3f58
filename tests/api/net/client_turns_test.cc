#include "api/net/client_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace cairn::api {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;

constexpr std::chrono::hours kForever{1};
constexpr std::uint64_t kSmall = 100, kLarge = 100'000;

class ClientTurnsTest : public testing::Test {
 protected:
  // An append that is in progress from its name's entry in `begun` until end() is called with it.
  void begin(const std::string& name, ClientId client, std::uint64_t bytes) {
    asio::co_spawn(
        io_,
        [this, name, client, bytes]() -> asio::awaitable<void> {
          turns_->note(client);
          auto place = std::make_unique<ClientTurns::Place>(*turns_, client, bytes);
          co_await place->enter();
          begun_.push_back(name);
          places_.emplace(name, std::move(place));
        },
        asio::detached);
    run();
  }

  void end(const std::string& name) {
    places_.erase(name);
    run();
  }

  // A coroutine that waits keeps run() from returning, so this runs what is ready.
  void run() {
    io_.restart();
    io_.poll();
  }

  void make_turns(std::chrono::steady_clock::duration remembered) {
    turns_ = std::make_unique<ClientTurns>(io_, remembered);
  }

  ~ClientTurnsTest() override { turns_->close(); }

  std::unique_ptr<ClientTurns> turns_ = std::make_unique<ClientTurns>(io_, kForever);
  asio::io_context io_;  // after turns_: its coroutines give their places back
  std::unordered_map<std::string, std::unique_ptr<ClientTurns::Place>> places_;
  std::vector<std::string> begun_;
};

TEST_F(ClientTurnsTest, AClientThatIsAloneHasNoWindow) {
  for (const char* name : {"a", "b", "c", "d"}) begin(name, 1, kLarge);
  EXPECT_THAT(begun_, ElementsAre("a", "b", "c", "d"));
  EXPECT_FALSE(turns_->several());
}

TEST_F(ClientTurnsTest, BesideAnotherClientTwoSmallAppendsAreInProgress) {
  begin("quiet", 2, kSmall);
  for (const char* name : {"a", "b", "c", "d"}) begin(name, 1, kSmall);
  EXPECT_TRUE(turns_->several());
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b"));
  begin("quiet too", 2, kSmall);
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b", "quiet too"));
  end("b");
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b", "quiet too", "c"));
  end("a");
  end("c");
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b", "quiet too", "c", "d"));
}

TEST_F(ClientTurnsTest, BesideAnotherClientOneLargeAppendIsInProgress) {
  begin("quiet", 2, kSmall);
  begin("a", 1, kLarge);
  begin("b", 1, kSmall);
  begin("c", 1, kLarge);
  EXPECT_THAT(begun_, ElementsAre("quiet", "a"));
  end("a");
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b"));
  end("b");
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b", "c"));
}

// A small one that arrives later does not delay the large one for ever.
TEST_F(ClientTurnsTest, AppendsOfOneClientBeginInTheOrderOfArrival) {
  begin("quiet", 2, kSmall);
  begin("a", 1, kSmall);
  begin("b", 1, kLarge);
  begin("c", 1, kSmall);
  EXPECT_THAT(begun_, ElementsAre("quiet", "a"));
  end("a");
  EXPECT_THAT(begun_, ElementsAre("quiet", "a", "b"));
}

TEST_F(ClientTurnsTest, OnceTheOtherClientIsForgottenAllThatWaitBegin) {
  make_turns(std::chrono::milliseconds(20));
  begin("quiet", 2, kSmall);
  for (const char* name : {"a", "b", "c", "d"}) begin(name, 1, kLarge);
  while (turns_->several()) std::this_thread::yield();
  end("a");
  EXPECT_THAT(begun_, testing::SizeIs(5));
}

TEST_F(ClientTurnsTest, ClientsTakeTurns) {
  std::vector<ClientId> order;
  turns_->note(1);
  turns_->note(2);
  for (const ClientId client : {1, 1, 1, 2, 2, 3}) {
    turns_->post(client, [&order, client] { order.push_back(client); });
  }
  run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 1, 2, 1));
}

TEST_F(ClientTurnsTest, WorkOfOneClientIsDoneInTheOrderOfTheEventLoop) {
  std::vector<int> order;
  turns_->note(1);
  turns_->post(1, [&] { order.push_back(1); });
  asio::post(io_, [&] { order.push_back(2); });
  turns_->post(7, [&] { order.push_back(3); });
  run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST_F(ClientTurnsTest, ACloseDestroysWhatWaits) {
  begin("quiet", 2, kSmall);
  for (const char* name : {"a", "b", "c", "d"}) begin(name, 1, kLarge);
  const auto alive = std::make_shared<int>();
  turns_->post(1, [alive] {});
  turns_->close();
  EXPECT_EQ(alive.use_count(), 1);
  end("a");  // no other append gets its place
  EXPECT_THAT(begun_, ElementsAre("quiet", "a"));
}

TEST_F(ClientTurnsTest, OtherThreadsPostAndEveryPostRuns) {
  constexpr int kThreads = 4, kPosts = 2'000;
  turns_->note(1);
  turns_->note(2);
  int ran = 0;
  auto work =
      std::make_unique<asio::executor_work_guard<asio::io_context::executor_type>>(io_.get_executor());
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) {
        turns_->post(static_cast<ClientId>(t), [&] {
          if (++ran == kThreads * kPosts) work.reset();
        });
      }
    });
  }
  io_.run();
  EXPECT_EQ(ran, kThreads * kPosts);
}

}  // namespace
}  // namespace cairn::api

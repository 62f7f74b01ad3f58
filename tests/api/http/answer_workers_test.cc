#include "api/http/answer_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

namespace cairn::api {
namespace {

constexpr WorkerPool::Options kPool{.name = "cairn-test", .threads = 2, .queue_max = 128};

// One request, and its answer.
class Request {
 public:
  void ask(AnswerWorkers& workers, std::function<HttpResponse()> make) {
    answer_->when_ready([this] { ready_.set_value(); });
    workers.answer(Responder(answer_), std::move(make));
  }
  HttpResponse wait() {
    ready_.get_future().wait();
    return *answer_->take();
  }

 private:
  std::shared_ptr<PendingAnswer> answer_ = std::make_shared<PendingAnswer>();
  std::promise<void> ready_;
};

HttpResponse fine() { return json_response(200, "{}"); }

TEST(AnswerWorkersTest, AsManyAsThereAreThreadsAreMadeAtOnce) {
  AnswerWorkers workers(kPool, "Too many.");
  std::promise<void> first, second;
  Request one, other;
  one.ask(workers, [&] {
    first.set_value();
    second.get_future().wait();
    return fine();
  });
  other.ask(workers, [&] {
    first.get_future().wait();
    second.set_value();
    return fine();
  });
  EXPECT_EQ(one.wait().status, 200);
  EXPECT_EQ(other.wait().status, 200);
}

TEST(AnswerWorkersTest, StopCancelsTheAnswersThatAreBeingMade) {
  AnswerWorkers workers(kPool, "Too many.");
  const auto answer = std::make_shared<PendingAnswer>();
  std::promise<void> begun, ready;
  answer->when_ready([&] { ready.set_value(); });
  workers.answer(Responder(answer), [&] {
    begun.set_value();
    while (answer->budget().charge()) {
    }
    return answer->budget().end() == WorkEnd::kCancelled ? fine() : json_response(500, "{}");
  });
  begun.get_future().wait();
  workers.stop();
  ready.get_future().wait();
  EXPECT_EQ(answer->take()->status, 200);
}

TEST(AnswerWorkersTest, AFullQueueRefusesAndStopAnswersTheQueue) {
  AnswerWorkers workers(kPool, "Too many.");
  std::promise<void> go_on;
  const auto wait = go_on.get_future().share();
  std::vector<std::promise<void>> begun(2);
  std::vector<Request> busy(2);
  for (std::size_t i = 0; i < 2; ++i) {
    busy[i].ask(workers, [&begun, i, wait] {
      begun[i].set_value();
      wait.wait();
      return fine();
    });
  }
  for (auto& one : begun) one.get_future().wait();
  std::vector<Request> waiting(128);
  for (Request& one : waiting) one.ask(workers, fine);
  Request refused;
  refused.ask(workers, fine);
  const HttpResponse answer = refused.wait();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, ::testing::HasSubstr("/problems/overloaded"));

  std::thread stopping([&] { workers.stop(); });
  for (Request& one : waiting) {
    const HttpResponse dropped = one.wait();
    EXPECT_EQ(dropped.status, 503);
    EXPECT_THAT(dropped.body, ::testing::HasSubstr("/problems/not-yet"));
  }
  go_on.set_value();
  stopping.join();
  for (Request& one : busy) EXPECT_EQ(one.wait().status, 200) << "answers in progress are finished";
}

TEST(AnswerWorkersTest, AnExceptionIsAnInternalError) {
  AnswerWorkers workers(kPool, "Too many.");
  Request one;
  one.ask(workers, []() -> HttpResponse { throw std::runtime_error("x"); });
  EXPECT_EQ(one.wait().status, 500);
}

}  // namespace
}  // namespace cairn::api

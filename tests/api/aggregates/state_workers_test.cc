#include "api/aggregates/state_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

namespace cairn::api {
namespace {

// One request, and what it is answered with.
class Asker {
 public:
  void ask(StateWorkers& workers, std::function<HttpResponse()> make) {
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

TEST(StateWorkersTest, TwoAreMadeAtOnce) {
  StateWorkers workers;
  std::promise<void> first, second;
  Asker one, other;
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

TEST(StateWorkersTest, TooManyAreRefusedAndThoseWhoWaitAreToldOfTheEnd) {
  StateWorkers workers;
  std::promise<void> go_on;
  const auto wait = go_on.get_future().share();
  std::vector<std::promise<void>> begun(2);
  std::vector<Asker> busy(2);
  for (std::size_t i = 0; i < 2; ++i) {
    busy[i].ask(workers, [&begun, i, wait] {
      begun[i].set_value();
      wait.wait();
      return fine();
    });
  }
  for (auto& one : begun) one.get_future().wait();
  std::vector<Asker> waiting(128);
  for (Asker& one : waiting) one.ask(workers, fine);
  Asker refused;
  refused.ask(workers, fine);
  const HttpResponse answer = refused.wait();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, ::testing::HasSubstr("/problems/overloaded"));

  std::thread stopping([&] { workers.stop(); });
  for (Asker& one : waiting) {
    const HttpResponse dropped = one.wait();
    EXPECT_EQ(dropped.status, 503);
    EXPECT_THAT(dropped.body, ::testing::HasSubstr("/problems/not-yet"));
  }
  go_on.set_value();
  stopping.join();
  for (Asker& one : busy) EXPECT_EQ(one.wait().status, 200) << "what was under way is finished";
}

TEST(StateWorkersTest, AnExceptionIsOurMistake) {
  StateWorkers workers;
  Asker one;
  one.ask(workers, []() -> HttpResponse { throw std::runtime_error("x"); });
  EXPECT_EQ(one.wait().status, 500);
}

}  // namespace
}  // namespace cairn::api

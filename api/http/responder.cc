#include "api/http/responder.h"

#include <utility>

#include "api/http/problem.h"

namespace cairn::api {

void PendingAnswer::put(HttpResponse response) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (answered_) return;
    answered_ = true;
    answer_ = std::move(response);
    ready = std::exchange(ready_, nullptr);
  }
  if (ready) ready();
}

bool PendingAnswer::answered() {
  const MutexLock lock(mutex_);
  return answered_;
}

std::optional<HttpResponse> PendingAnswer::take() {
  const MutexLock lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void PendingAnswer::when_ready(std::function<void()> ready) {
  {
    const MutexLock lock(mutex_);
    if (!answered_) {
      ready_ = std::move(ready);
      return;
    }
  }
  ready();
}

struct Responder::Promise {
  std::shared_ptr<PendingAnswer> answer;

  explicit Promise(std::shared_ptr<PendingAnswer> where) : answer(std::move(where)) {}
  ~Promise() {
    if (!answer->answered()) answer->put(internal_error().to_response());
  }
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;
};

Responder::Responder(std::shared_ptr<PendingAnswer> answer)
    : promise_(std::make_shared<Promise>(std::move(answer))) {}

WorkBudget& Responder::budget() const { return promise_->answer->budget(); }

void Responder::set_cancellable() const { promise_->answer->set_cancellable(); }

ClientId Responder::client() const { return promise_->answer->client(); }

void Responder::operator()(HttpResponse response) const { promise_->answer->put(std::move(response)); }

}  // namespace cairn::api

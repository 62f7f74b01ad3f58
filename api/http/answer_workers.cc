#include "api/http/answer_workers.h"

#include <exception>
#include <memory>

#include "api/http/problem.h"
#include "api/http/server_log.h"

namespace cairn::api {

// An answer in the queue. One that is destroyed before it was made tells its client that the server stops.
class AnswerWorkers::QueuedAnswer {
 public:
  QueuedAnswer(AnswerWorkers& workers, const Responder& respond, std::function<HttpResponse()> make)
      : workers_(workers), respond_(respond), make_(std::move(make)) {}
  ~QueuedAnswer() {
    if (make_) respond_(not_yet("The server is stopping.").to_response());
  }
  QueuedAnswer(const QueuedAnswer&) = delete;
  QueuedAnswer& operator=(const QueuedAnswer&) = delete;

  void run() {
    const auto make = std::exchange(make_, nullptr);
    const UnderWay cancellable(workers_, respond_.budget());
    const WorkBudget::OnThread measured(respond_.budget());
    // An exception that leaves a thread ends the process.
    try {
      respond_(make());
    } catch (const std::exception& exception) {
      server_log(LogEvent(LogLevel::kError, "answer-failed",
                          std::string("An answer could not be made: ") + exception.what())
                     .with("error", exception.what()));
      respond_(internal_error().to_response());
    }
  }

  void refuse(const Problem& problem) {
    make_ = nullptr;
    respond_(problem.to_response());
  }

 private:
  // Lets stop() cancel the work.
  class UnderWay {
   public:
    UnderWay(AnswerWorkers& workers, WorkBudget& budget) : workers_(workers), budget_(budget) {
      const MutexLock lock(workers_.mutex_);
      if (workers_.stopping_) budget_.cancel();
      workers_.under_way_.insert(&budget_);
    }
    ~UnderWay() {
      const MutexLock lock(workers_.mutex_);
      workers_.under_way_.erase(&budget_);
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    AnswerWorkers& workers_;
    WorkBudget& budget_;
  };

  AnswerWorkers& workers_;
  Responder respond_;
  std::function<HttpResponse()> make_;
};

void AnswerWorkers::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    for (WorkBudget* const budget : under_way_) budget->cancel();
  }
  pool_.stop();
}

void AnswerWorkers::answer(const Responder& respond, std::function<HttpResponse()> make) {
  // Shared, because std::function requires a copyable callable.
  const auto queued = std::make_shared<QueuedAnswer>(*this, respond, std::move(make));
  switch (pool_.submit(respond.client(), [queued] { queued->run(); })) {
    case WorkerPool::Submitted::kYes:
      return;
    case WorkerPool::Submitted::kFull:
      return queued->refuse(overloaded(refusal_));
    case WorkerPool::Submitted::kOverShare:
      return queued->refuse(too_many_requests(refusal_));
  }
}

}  // namespace cairn::api

#include "api/http/answer_workers.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <memory>

#include "api/http/problem.h"

namespace cairn::api {

namespace {

// An answer that waits for its turn. One that is dropped meanwhile says so.
class Waiting {
 public:
  Waiting(const Responder& respond, std::function<HttpResponse()> make)
      : respond_(respond), make_(std::move(make)) {}
  ~Waiting() {
    if (make_) respond_(not_yet("The server is stopping.").to_response());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void run() {
    const auto make = std::exchange(make_, nullptr);
    // On its own thread nobody else would catch what a library throws.
    try {
      respond_(make());
    } catch (const std::exception& exception) {
      spdlog::error("An answer could not be made: {}", exception.what());
      respond_(internal_error().to_response());
    }
  }

  void refuse(const std::string& refusal) {
    make_ = nullptr;
    respond_(overloaded(refusal).to_response());
  }

 private:
  Responder respond_;
  std::function<HttpResponse()> make_;
};

}  // namespace

void AnswerWorkers::answer(const Responder& respond, std::function<HttpResponse()> make) {
  // Shared, because std::function wants to copy.
  const auto waiting = std::make_shared<Waiting>(respond, std::move(make));
  if (!pool_.submit([waiting] { waiting->run(); })) waiting->refuse(refusal_);
}

}  // namespace cairn::api

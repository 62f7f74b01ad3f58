#include "api/upcasters/deploy_service.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

namespace cairn::api {

namespace {

// As for a compatibility check (ServerLimits::check_cpu_max).
constexpr std::chrono::seconds kPlanningCpuMax{10};

// More threads would slow reads and appends.
constexpr unsigned kThreadsMax = 4;

DeployOutcome failed(Errc code, std::string message) { return make_error(code, std::move(message)); }

// The result to count; nullopt when the store failed, which is no verdict on the upcaster.
std::optional<DeployResult> result_of(const DeployOutcome& outcome, DryRun dry_run) {
  if (!outcome) {
    const bool store_failed = std::holds_alternative<Error>(outcome.error());
    return store_failed ? std::nullopt : std::optional(DeployResult::kRefused);
  }
  if (dry_run == DryRun::kYes) return DeployResult::kDryRun;
  return outcome->unchanged ? DeployResult::kUnchanged : DeployResult::kInstalled;
}

}  // namespace

// A request in the queue. Its destructor answers a request that is dropped before it runs.
class DeployService::Run {
 public:
  Run(DeployService& service, DeployRequest request) : service_(service), request_(std::move(request)) {}
  ~Run() {
    if (request_.done) finish(failed(Errc::kFailedPrecondition, "the server is stopping"));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run() {
    // No caller catches exceptions of a library on this thread.
    try {
      finish(deploy());
    } catch (const std::exception& exception) {
      finish(failed(Errc::kIo, std::string("an exception: ") + exception.what()));
    }
  }

  // Drops the callback: submit() refuses the request itself.
  void forget() { request_.done = nullptr; }

 private:
  DeployOutcome deploy() {
    if (is_cancelled()) return failed(Errc::kFailedPrecondition, "the client has disconnected");
    const DeployOptions options{.dry_run = request_.dry_run,
                                .threads = std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsMax),
                                .progress = request_.progress,
                                .cancelled = [this] { return is_cancelled(); },
                                .planning_cpu_max = kPlanningCpuMax,
                                .stopping = &service_.stopping_,
                                .origin = request_.origin};
    Deployer& deployer = service_.shapes_.deployer();
    return request_.schema ? deployer.register_schema(*request_.schema, request_.draft, options)
                           : deployer.deploy(request_.draft, options);
  }

  bool is_cancelled() const { return service_.stopping_ || (request_.cancelled && request_.cancelled()); }

  void finish(const DeployOutcome& outcome) {
    if (const auto result = result_of(outcome, request_.dry_run)) service_.metrics_.deployed(*result);
    const auto done = std::exchange(request_.done, nullptr);
    if (done) done(outcome);
  }

  DeployService& service_;
  DeployRequest request_;
};

bool DeployService::submit(DeployRequest request) {
  // Shared, because std::function needs a copyable callable.
  const auto run = std::make_shared<Run>(*this, std::move(request));
  if (worker_.submit([run] { run->run(); })) return true;
  run->forget();
  return false;
}

void DeployService::stop() {
  stopping_ = true;
  worker_.stop();
}

}  // namespace cairn::api

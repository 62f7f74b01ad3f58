#include "api/aggregates/snapshot_runs.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "api/aggregates/state_json.h"
#include "api/serving/route_tools.h"

namespace cairn::api {

namespace {

// More threads would slow reads and appends.
constexpr unsigned kThreadsMax = 2;

Error stopped() { return make_error(Errc::kFailedPrecondition, "the server is stopping"); }

}  // namespace

// A request in the queue. Its destructor answers a request that is dropped before it runs.
class SnapshotRuns::Run {
 public:
  Run(SnapshotRuns& runs, SnapshotRunRequest request) : runs_(runs), request_(std::move(request)) {}
  ~Run() { finish(stopped()); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run() {
    if (!begin()) return finish(stopped());
    // No caller catches exceptions of a library on this thread.
    try {
      finish(snapshot_all());
    } catch (const std::exception& exception) {
      finish(make_error(Errc::kIo, std::string("an exception: ") + exception.what()));
    }
    const MutexLock lock(runs_.mutex_);
    runs_.under_way_ = nullptr;
  }

  // Drops the callback: submit() refuses the request itself.
  void forget() { request_.done = nullptr; }

 private:
  // Makes the run the one that stop() cancels. False after stop().
  bool begin() {
    const MutexLock lock(runs_.mutex_);
    if (runs_.stopping_) return false;
    runs_.under_way_ = request_.news;
    return true;
  }

  Result<SnapshotReport> snapshot_all() {
    SnapshotAllOptions options;
    options.threads = std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsMax);
    options.progress = [&news = *request_.news](const SnapshotProgress& progress) {
      news.progress(named_json("progress", to_json(progress)));
    };
    options.cancel = &request_.news->cancelled();
    return runs_.states_.snapshot_all(request_.category, options);
  }

  void finish(const Result<SnapshotReport>& report) {
    const auto done = std::exchange(request_.done, nullptr);
    if (done) done(report);
  }

  SnapshotRuns& runs_;
  SnapshotRunRequest request_;
};

bool SnapshotRuns::submit(SnapshotRunRequest request) {
  // Shared, because std::function needs a copyable callable.
  const auto run = std::make_shared<Run>(*this, std::move(request));
  if (worker_.submit([run] { run->run(); })) return true;
  run->forget();
  return false;
}

void SnapshotRuns::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    if (under_way_) under_way_->cancel();
  }
  worker_.stop();
}

}  // namespace cairn::api

#include "api/aggregates/snapshot_runs.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "api/aggregates/state_json.h"

namespace cairn::api {

namespace {

// More would take the machine from those who read and append.
constexpr unsigned kThreadsMax = 2;

Error stopped() { return make_error(Errc::kFailedPrecondition, "the server is stopping"); }

}  // namespace

// A request in the queue. One that is dropped there says so.
class SnapshotRuns::Run {
 public:
  Run(SnapshotRuns& runs, SnapshotRunRequest request) : runs_(runs), request_(std::move(request)) {}
  ~Run() { finish(stopped()); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run() {
    if (!begin()) return finish(stopped());
    // On its own thread nobody else would catch what a library throws.
    try {
      finish(snapshot_all());
    } catch (const std::exception& exception) {
      finish(make_error(Errc::kIo, std::string("an exception: ") + exception.what()));
    }
    const std::lock_guard lock(runs_.mutex_);
    runs_.under_way_ = nullptr;
  }

  // Nobody is told any more.
  void forget() { request_.done = nullptr; }

 private:
  // From now on stop() gives it up.
  bool begin() {
    const std::lock_guard lock(runs_.mutex_);
    if (runs_.stopping_) return false;
    runs_.under_way_ = request_.news;
    return true;
  }

  Result<SnapshotReport> snapshot_all() {
    SnapshotAllOptions options;
    options.threads = std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsMax);
    options.progress = [&news = *request_.news](const SnapshotProgress& progress) {
      news.progress(R"({"progress":)" + to_json(progress) + "}");
    };
    options.cancel = &request_.news->left();
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
  // Shared, because std::function wants to copy.
  const auto run = std::make_shared<Run>(*this, std::move(request));
  if (worker_.submit([run] { run->run(); })) return true;
  run->forget();
  return false;
}

void SnapshotRuns::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (under_way_) under_way_->leave();
  }
  worker_.stop();
}

}  // namespace cairn::api

#include "api/metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "api/metrics/process_metrics.h"
#include "api/metrics/projection_metrics.h"
#include "api/metrics/store_metrics.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

// From a commit on a fast disk to one that needs attention.
const Buckets kSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                          0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
// From a row that is there at once to one that waited for a rebuild or a restart.
const Buckets kLongSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                              1,     2.5,    5,     10,   30,    60,   300, 3600};
const Buckets kBytes = {256, 1024, 4096, 16'384, 65'536, 262'144, 1'048'576, 4'194'304, 16'777'216};
const Buckets kEvents = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 20'000};

prometheus::Histogram& histogram(prometheus::Registry& registry, const std::string& name,
                                 const std::string& help, const Buckets& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

prometheus::Counter& counter(prometheus::Registry& registry, const std::string& name,
                             const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

// One lock for all of a block: the writer thread waits for it.
void observe_all(prometheus::Histogram& histogram, const Buckets& buckets,
                 std::span<const std::chrono::nanoseconds> values) {
  std::vector<double> counts(buckets.size() + 1);
  double sum = 0;
  for (const std::chrono::nanoseconds value : values) {
    const double seconds = std::chrono::duration<double>(value).count();
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), seconds) - buckets.begin();
    ++counts[static_cast<std::size_t>(bucket)];
    sum += seconds;
  }
  histogram.ObserveMultiple(counts, sum);
}

prometheus::MetricFamily gauge_family(const char* name, const char* help, double value) {
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  return {name, help, prometheus::MetricType::Gauge, {metric}};
}

// In the order of DeployResult.
constexpr std::array kDeployResults = {"installed", "unchanged", "dry_run", "refused"};

}  // namespace

struct Metrics::Instruments {
  prometheus::Registry registry;
  // The name that Prometheus's client libraries use: alerts on restarts look at it.
  prometheus::Gauge& start_seconds = prometheus::BuildGauge()
                                         .Name("process_start_time_seconds")
                                         .Help("When the server was started, in seconds since 1970")
                                         .Register(registry)
                                         .Add({});
  prometheus::Histogram& commit_seconds =
      histogram(registry, "cairn_commit_seconds", "Time to make a block durable", kSeconds);
  prometheus::Histogram& append_visible_seconds =
      histogram(registry, "cairn_append_visible_seconds",
                "From an append coming to the writer's queue to its events being visible", kSeconds);
  prometheus::Histogram& append_row_committed_seconds =
      histogram(registry, "cairn_append_row_committed_seconds",
                "From an event being recorded to the commit of its rows: the oldest event of each commit",
                kLongSeconds);
  prometheus::Histogram& block_bytes = histogram(registry, "cairn_block_bytes", "Bytes of a block", kBytes);
  prometheus::Histogram& block_events =
      histogram(registry, "cairn_block_events", "Events of a block", kEvents);
  prometheus::Gauge& connections = prometheus::BuildGauge()
                                       .Name("cairn_http_connections")
                                       .Help("Connections open now")
                                       .Register(registry)
                                       .Add({});
  prometheus::Counter& connections_total =
      counter(registry, "cairn_http_connections_total", "Connections accepted");
  prometheus::Counter& cancelled = counter(registry, "cairn_http_requests_cancelled_total",
                                           "Requests whose client left while they were being worked on");
  prometheus::Counter& streams_closed =
      counter(registry, "cairn_http_streams_closed_total",
              "Streams closed because their client did not read and others needed the memory or connection");
  prometheus::Family<prometheus::Counter>& dropped_lines_total =
      prometheus::BuildCounter()
          .Name("cairn_log_lines_dropped_total")
          .Help("Lines of the log that were dropped because they could not be written in time")
          .Register(registry);
  prometheus::Counter& server_lines_dropped = dropped_lines_total.Add({{"log", "server"}});
  prometheus::Counter& access_lines_dropped = dropped_lines_total.Add({{"log", "access"}});
  prometheus::Counter& shape_failures =
      counter(registry, "cairn_shape_failures_total",
              "Events that could not be brought to the schema version asked for");
  prometheus::Family<prometheus::Counter>& deployments =
      prometheus::BuildCounter()
          .Name("cairn_upcaster_deployments_total")
          .Help("Requests to deploy an upcaster, by outcome")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& request_seconds =
      prometheus::BuildHistogram()
          .Name("cairn_http_request_seconds")
          .Help("From the last byte of a request to its answer")
          .Register(registry);

  mutable Mutex recent_mutex;
  RecentActivity recent CAIRN_GUARDED_BY(recent_mutex){std::chrono::steady_clock::now()};

  // One for each route and status, created at the first request.
  SharedMutex mutex;
  std::map<std::pair<const Route*, int>, prometheus::Histogram*> requests CAIRN_GUARDED_BY(mutex);

  Instruments() {
    for (const char* result : kDeployResults) deployments.Add({{"outcome", result}});
    start_seconds.Set(
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  }

  prometheus::Histogram& of(const Route* route, int status) {
    const std::pair key(route, status);
    {
      const ReaderLock lock(mutex);
      const auto found = requests.find(key);
      if (found != requests.end()) return *found->second;
    }
    const WriterLock lock(mutex);
    prometheus::Histogram*& created = requests[key];
    if (created == nullptr) {
      created = &request_seconds.Add({{"method", route == nullptr ? "" : route->method},
                                      {"route", route == nullptr ? "" : route->path},
                                      {"status", std::to_string(status)}},
                                     kSeconds);
    }
    return *created;
  }
};

Metrics::Metrics(ServerFacts facts)
    : facts_(std::move(facts)), instruments_(std::make_unique<Instruments>()) {
  if (facts_.version.empty()) return;
  prometheus::BuildGauge()
      .Name("cairn_build_info")
      .Help("1, with the version of the program and the newest format of the log that it writes")
      .Register(instruments_->registry)
      .Add({{"version", facts_.version},
            {"log_format", std::to_string(static_cast<unsigned>(kNewestLogFormat))}})
      .Set(1);
}
Metrics::~Metrics() = default;

void Metrics::connection_opened() {
  instruments_->connections.Increment();
  instruments_->connections_total.Increment();
}

void Metrics::connection_closed() { instruments_->connections.Decrement(); }

void Metrics::cancelled() { instruments_->cancelled.Increment(); }

void Metrics::stream_closed() { instruments_->streams_closed.Increment(); }

void Metrics::answered(const Route* route, int status, std::chrono::nanoseconds took) {
  instruments_->of(route, status).Observe(std::chrono::duration<double>(took).count());
}

void Metrics::committed(const CommitReport& report) {
  instruments_->commit_seconds.Observe(std::chrono::duration<double>(report.took).count());
  instruments_->block_bytes.Observe(static_cast<double>(report.bytes));
  instruments_->block_events.Observe(static_cast<double>(report.events));
  if (!report.waited.empty()) observe_all(instruments_->append_visible_seconds, kSeconds, report.waited);
  const MutexLock lock(instruments_->recent_mutex);
  instruments_->recent.committed(std::chrono::steady_clock::now(), report.events, report.waited.size(),
                                 report.took);
}

void Metrics::rows_committed(std::chrono::microseconds age) {
  instruments_->append_row_committed_seconds.Observe(std::chrono::duration<double>(age).count());
}

RecentActivity::Summary Metrics::recent(std::size_t seconds) const {
  const MutexLock lock(instruments_->recent_mutex);
  return instruments_->recent.last(seconds, std::chrono::steady_clock::now());
}

void Metrics::log_lines_dropped(DroppedLog log, std::uint64_t lines) {
  auto& dropped =
      log == DroppedLog::kServer ? instruments_->server_lines_dropped : instruments_->access_lines_dropped;
  dropped.Increment(static_cast<double>(lines));
}

void Metrics::shape_failed() { instruments_->shape_failures.Increment(); }

void Metrics::deployed(DeployResult result) {
  const char* outcome = kDeployResults.at(static_cast<std::size_t>(result));
  instruments_->deployments.Add({{"outcome", outcome}}).Increment();
}

std::string Metrics::text(const EventStore* store, SchemaRegistry* registry, const Upcasters* upcasters,
                          AggregateStates* states, const ReadModels* projections) const {
  auto families = instruments_->registry.Collect();
  for (auto& family : process_metrics()) families.push_back(std::move(family));
  std::error_code no_disk;
  const auto disk = std::filesystem::space(facts_.data, no_disk);
  if (!facts_.data.empty() && !no_disk) {
    families.push_back(gauge_family("cairn_disk_bytes", "Size of the file system of the data folder",
                                    static_cast<double>(disk.capacity)));
    families.push_back(gauge_family("cairn_disk_free_bytes", "Bytes of it that the server can still use",
                                    static_cast<double>(disk.available)));
  }
  if (store != nullptr) {
    for (auto& family : store_metrics(*store)) families.push_back(std::move(family));
  }
  if (registry != nullptr) {
    for (auto& family : registry_metrics(*registry)) families.push_back(std::move(family));
  }
  if (upcasters != nullptr) families.push_back(upcaster_metrics(*upcasters));
  if (states != nullptr) {
    for (auto& family : state_metrics(*states)) families.push_back(std::move(family));
  }
  if (projections != nullptr) {
    for (auto& family : projection_metrics(projections->list())) families.push_back(std::move(family));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace cairn::api

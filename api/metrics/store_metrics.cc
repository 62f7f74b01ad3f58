#include "api/metrics/store_metrics.h"

#include <utility>

namespace cairn::api {

namespace {

prometheus::MetricFamily family(const char* name, const char* help, prometheus::MetricType type,
                                std::uint64_t value) {
  prometheus::ClientMetric metric;
  metric.counter.value = static_cast<double>(value);
  metric.gauge.value = static_cast<double>(value);
  return {name, help, type, {metric}};
}

}  // namespace

std::vector<prometheus::MetricFamily> store_metrics(const EventStore& store) {
  constexpr auto kCounter = prometheus::MetricType::Counter;
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  const StoreStats stats = store.stats();
  const IndexProgress index = store.index_progress();
  return {
      family("cairn_appends_total", "Appends acknowledged, repeats included", kCounter, stats.appends),
      family("cairn_appends_repeated_total", "Appends recognised as repeats", kCounter,
             stats.already_applied),
      family("cairn_append_conflicts_total", "Appends refused because of the stream's version", kCounter,
             stats.conflicts),
      family("cairn_appends_refused_total", "Appends refused for other reasons", kCounter, stats.refused),
      family("cairn_events_total", "Events appended since the start", kCounter, stats.events),
      family("cairn_commits_total", "Blocks made durable since the start", kCounter, stats.commits),
      family("cairn_index_flushes_total", "Times the index was written", kCounter, stats.flushes),
      family("cairn_log_head", "Position of the newest event", kGauge, store.head().value),
      family("cairn_log_bytes", "Bytes of the log", kGauge, stats.log_bytes),
      family("cairn_index_bytes", "Bytes of the index", kGauge, stats.index_bytes),
      family("cairn_index_rebuild_events_left", "Events that the rebuild of the index has not read yet",
             kGauge, index.total.value - index.done.value),
      family("cairn_queue_requests", "Appends in the queue of the writer", kGauge, stats.queue_requests),
      family("cairn_tail_events", "Events in the tail, not yet in the index", kGauge, stats.tail_events),
      family("cairn_tail_bytes", "Memory of the tail, with what it caches after a flush", kGauge,
             stats.tail_bytes),
      family("cairn_readers", "Open read transactions", kGauge, stats.readers),
  };
}

std::vector<prometheus::MetricFamily> registry_metrics(SchemaRegistry& registry) {
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  const RegistryCounts counts = registry.counts();
  return {
      family("cairn_schemas", "Schemas of all versions of subjects", kGauge, counts.schemas),
      family("cairn_subjects", "Subjects that are not deleted", kGauge, counts.subjects),
  };
}

prometheus::MetricFamily upcaster_metrics(const Upcasters& upcasters) {
  return family("cairn_upcasters", "Installed upcasters", prometheus::MetricType::Gauge,
                upcasters.all().size());
}

std::vector<prometheus::MetricFamily> state_metrics(AggregateStates& states) {
  constexpr auto kCounter = prometheus::MetricType::Counter;
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  const StateStats stats = states.stats();
  prometheus::MetricFamily misses{"cairn_snapshot_misses_total",
                                  "Folds that could not begin with the newest snapshot, by reason",
                                  kCounter,
                                  {}};
  for (std::size_t i = 0; i < kSnapshotMisses; ++i) {
    prometheus::ClientMetric metric;
    metric.label = {{"reason", to_string(static_cast<SnapshotMiss>(i))}};
    metric.counter.value = static_cast<double>(stats.snapshot_misses[i]);
    misses.metric.push_back(std::move(metric));
  }
  return {
      family("cairn_aggregates", "Deployed aggregates", kGauge, states.aggregates().all().size()),
      family("cairn_state_folds_total", "States folded", kCounter, stats.folds),
      family("cairn_state_events_folded_total", "Events folded after snapshots", kCounter,
             stats.events_folded),
      family("cairn_snapshot_hits_total", "Folds that began with the newest snapshot", kCounter,
             stats.snapshot_hits),
      misses,
      family("cairn_snapshots_written_total", "Snapshots written", kCounter, stats.snapshots_written),
      family("cairn_snapshots_dropped_total", "Snapshots dropped: queue full, or refused by the store",
             kCounter, stats.snapshots_dropped),
      family("cairn_snapshots_unsavable_total", "States that cannot be saved, or are too large", kCounter,
             stats.snapshots_unsavable),
  };
}

}  // namespace cairn::api

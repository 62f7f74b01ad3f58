#include "api/metrics/projection_metrics.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace cairn::api {

namespace {

using Status = ProjectionStatus;
constexpr auto kGauge = prometheus::MetricType::Gauge;
constexpr auto kCounter = prometheus::MetricType::Counter;

constexpr std::array kStates = {ProjectionState::kRunning, ProjectionState::kRebuilding,
                                ProjectionState::kPaused, ProjectionState::kFaulted,
                                ProjectionState::kStalled};

struct Number {
  const char* name;
  const char* help;
  prometheus::MetricType type;
  std::optional<double> (*of)(const Status& status);  // nullopt: no sample
};

double number(std::uint64_t value) { return static_cast<double>(value); }

const Number kNumbers[] = {
    {"cairn_projection_position", "Last position of the log that is in the rows being queried", kGauge,
     [](const Status& status) { return std::optional(number(status.position.value)); }},
    {"cairn_projection_lag_events", "Events of the log that are not in the rows yet", kGauge,
     [](const Status& status) { return std::optional(number(status.lag_events)); }},
    {"cairn_projection_lag_seconds", "Age of the first event that is not in the rows", kGauge,
     [](const Status& status) { return std::optional(status.lag_seconds); }},
    {"cairn_projection_events_per_second", "Recent rate of applied events", kGauge,
     [](const Status& status) { return std::optional(status.events_per_second); }},
    {"cairn_projection_retries_total", "Retries after a failure", kCounter,
     [](const Status& status) { return std::optional(number(status.retries)); }},
    {"cairn_projection_parked_keys", "Keys with a parked event", kGauge,
     [](const Status& status) { return std::optional(number(status.parked_keys)); }},
    {"cairn_projection_parked_events", "Parked events, with those that wait behind them", kGauge,
     [](const Status& status) { return std::optional(number(status.parked_events)); }},
    {"cairn_projection_oldest_parked_seconds", "Age of the oldest parked event", kGauge,
     [](const Status& status) { return std::optional(status.oldest_parked_seconds.value_or(0)); }},
    {"cairn_projection_generation", "Generation being queried, 0 before there is one", kGauge,
     [](const Status& status) { return std::optional(number(status.generation)); }},
    {"cairn_projection_rows", "Rows that can be queried", kGauge,
     [](const Status& status) { return std::optional(number(status.rows)); }},
    {"cairn_projection_bytes", "Bytes of the rows on disk", kGauge,
     [](const Status& status) { return std::optional(number(status.bytes)); }},
    {"cairn_projection_rebuild_position", "Position that the generation being built has reached", kGauge,
     [](const Status& status) {
       return status.rebuild ? std::optional(number(status.rebuild->position.value)) : std::nullopt;
     }},
};

prometheus::ClientMetric sample(const Status& status, double value) {
  prometheus::ClientMetric metric;
  metric.label = {{"projection", status.name}};
  metric.counter.value = value;
  metric.gauge.value = value;
  return metric;
}

prometheus::MetricFamily state_family(const std::vector<Status>& projections) {
  prometheus::MetricFamily family{
      "cairn_projection_state", "1 for the current state, 0 for the other states", kGauge, {}};
  for (const Status& status : projections) {
    for (const ProjectionState state : kStates) {
      prometheus::ClientMetric metric = sample(status, status.state == state ? 1 : 0);
      metric.label.push_back({"state", std::string(to_string(state))});
      family.metric.push_back(std::move(metric));
    }
  }
  return family;
}

}  // namespace

std::vector<prometheus::MetricFamily> projection_metrics(const std::vector<ProjectionStatus>& projections) {
  std::vector<prometheus::MetricFamily> families;
  for (const Number& wanted : kNumbers) {
    prometheus::MetricFamily family{wanted.name, wanted.help, wanted.type, {}};
    for (const Status& status : projections) {
      if (const auto value = wanted.of(status)) family.metric.push_back(sample(status, *value));
    }
    families.push_back(std::move(family));
  }
  families.push_back(state_family(projections));
  return families;
}

}  // namespace cairn::api

#include "projections/runner/redrive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

using SteadyClock = std::chrono::steady_clock;

std::chrono::milliseconds since(SteadyClock::time_point began) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began);
}

}  // namespace

Redrive::Redrive(const GenerationTools& tools, std::uint64_t id, const RedriveOptions& options,
                 RequestOrigin origin, const Generations& generations)
    : tools_(tools), origin_(std::move(origin)), rate_(options.keys_per_second, tools.options.clock()) {
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    for (ParkedPlace& place : (*generation)->parked_places()) {
      places_.push_back({(*generation)->number(), std::move(place)});
    }
  }
  report_.id = id;
  report_.options = options;
  report_.keys = places_.size();
  report_.started_at = now();
}

void Redrive::end(RedriveState state, std::string reason) {
  CAIRN_ASSERT(runs());
  report_.state = state;
  report_.reason = std::move(reason);
  report_.ended_at = now();
  trial_.reset();
  places_ = {};
}

Result<Redrive::Step> Redrive::step(const Generations& generations) {
  CAIRN_ASSERT(runs());
  if (next_ == places_.size()) {
    end(RedriveState::kDone, "");
    return Step{true, std::nullopt};
  }
  const std::uint64_t number = places_[next_].generation;
  const auto found = std::find_if(generations.begin(), generations.end(),
                                  [&](const auto& one) { return one->number() == number; });
  if (found == generations.end()) {
    end(RedriveState::kCancelled, fmt::format("generation {} is no longer built or read", number));
    return Step{true, std::nullopt};
  }
  const auto wait = rate_.wait(now());
  if (wait && !goes_on_) return Step{false, wait};
  Generation& generation = **found;
  std::size_t next = next_;
  RedriveReport report = report_;
  RedriveRate rate = rate_;
  const auto began = SteadyClock::now();
  const auto tried = try_places(generation, next, report, rate);
  if (!tried) {
    CAIRN_CHECK(generation.reset());
    trial_.reset();
    if (tried.error().code == Errc::kCancelled) {
      pace_.interrupted();
    } else {
      report_.code = tried.error().code;
      end(RedriveState::kFailed, tried.error().message);
    }
    return Step{true, std::nullopt};
  }
  pace_.applied(*tried, since(began));
  next_ = next;
  rate_ = rate;
  report_ = std::move(report);
  const auto& failures_max = report_.options.stop_after_failures;
  if (failures_max && report_.failed >= *failures_max) {
    end(RedriveState::kStopped,
        fmt::format("{} {} failed again", report_.failed, report_.failed == 1 ? "key has" : "keys have"));
  }
  return Step{true, std::nullopt};
}

// Returns how many events were looked at. Several keys share a commit; a stream, whose events may belong to any
// row, has a step of its own.
Result<std::size_t> Redrive::try_places(Generation& generation, std::size_t& next, RedriveReport& report,
                                        RedriveRate& rate) {
  const auto began = SteadyClock::now();
  const std::size_t events_max = pace_.events_max();
  std::size_t looked_at = 0;
  if (generation.has_changes()) CAIRN_CHECK(generation.commit());
  {
    std::optional<Interruption::Step> interruptible;
    if (events_max > 1) interruptible.emplace(*tools_.interruption);  // One event cannot be divided.
    for (bool first = true; next < places_.size(); first = false) {
      const Place& place = places_[next];
      const bool is_stream = place.place.by == ParkedPlace::By::kStream;
      if (place.generation != generation.number() || (!first && is_stream)) break;
      if (!first && (looked_at >= events_max || since(began) >= RedrivePace::kStepTime)) break;
      if (!first && rate.wait(now())) break;
      CAIRN_TRY(const auto retried, try_place(generation, place.place, events_max - looked_at));
      looked_at += std::max<std::size_t>(1, retried.looked_at);
      report.events += retried.events;
      goes_on_ = retried.outcome == RetriedPlace::Outcome::kUnfinished;
      if (goes_on_) break;
      rate.took_key(now());
      ++next;
      count(report, place, retried);
      const auto& failures_max = report.options.stop_after_failures;
      if ((failures_max && report.failed >= *failures_max) || is_stream) break;
    }
  }
  if (generation.has_changes()) CAIRN_CHECK(generation.commit());
  return looked_at;
}

Result<RetriedPlace> Redrive::try_place(Generation& generation, const ParkedPlace& place,
                                        std::size_t events_max) {
  // A retry or a skip of this key alone has released it meanwhile.
  if (!generation.is_parked(place)) return RetriedPlace{};
  if (!report_.options.dry_run) return generation.retry_some(place, events_max);
  if (!trial_ || trial_of_ != generation.number()) {
    CAIRN_TRY(trial_, generation.make_trial());
    trial_of_ = generation.number();
  }
  return generation.try_some(*trial_, place, events_max);
}

void Redrive::count(RedriveReport& report, const Place& place, const RetriedPlace& retried) {
  ++report.tried;
  if (retried.outcome != RetriedPlace::Outcome::kFailed) {
    ++report.released;
    return;
  }
  ++report.failed;
  if (report.failures.size() < RedriveReport::kFailuresMax && retried.failed) {
    report.failures.push_back({place.place, place.generation, *retried.failed});
  }
}

}  // namespace cairn

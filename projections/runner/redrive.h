#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/json/request_origin.h"
#include "projections/generation/generation.h"
#include "projections/redrive.h"
#include "projections/runner/redrive_pace.h"

namespace cairn {

// One redrive of a projection, from its begin to its end. It has the list of the places that were parked when it
// began: those of the generation being built first, because they keep it from taking over.
//
// Invariants:
//  1. What a step has tried is committed in one transaction, before the report counts it: rows, and what is
//     parked. Between two steps the generation has no changes of the redrive.
//  2. A key that is not finished within a step is parked at its next event (kUnfinishedKind).
//  3. A dry run changes nothing.
//
// Not thread-safe: the runner calls it with its mutex held, between its own steps.
class Redrive {
 public:
  using Generations = std::vector<std::shared_ptr<Generation>>;

  struct Step {
    bool worked = false;
    std::optional<std::chrono::milliseconds> wait;  // the next key is due then
  };

  Redrive(const GenerationTools& tools, std::uint64_t id, const RedriveOptions& options, RequestOrigin origin,
          const Generations& generations);

  bool runs() const { return report_.state == RedriveState::kRunning; }
  const RedriveReport& report() const { return report_; }
  const RequestOrigin& origin() const { return origin_; }

  // Tries the next keys, within the bounds of RedrivePace. It may end the redrive. Fails when a generation could
  // not go back to what is committed.
  Result<Step> step(const Generations& generations);

  // REQUIRES: runs().
  void end(RedriveState state, std::string reason);

 private:
  struct Place {
    std::uint64_t generation = 0;
    ParkedPlace place;
  };

  Result<std::size_t> try_places(Generation& generation, std::size_t& next, RedriveReport& report,
                                 RedriveRate& rate);
  Result<RetriedPlace> try_place(Generation& generation, const ParkedPlace& place, std::size_t events_max);
  static void count(RedriveReport& report, const Place& place, const RetriedPlace& retried);
  Timestamp now() const { return tools_.options.clock(); }

  const GenerationTools tools_;
  const RequestOrigin origin_;
  std::vector<Place> places_;
  std::size_t next_ = 0;  // in places_
  bool goes_on_ = false;  // the next place was begun by the step before
  RedrivePace pace_;
  RedriveRate rate_;
  std::optional<RowTrial> trial_;  // of a dry run, of the generation that is being tried
  std::uint64_t trial_of_ = 0;
  RedriveReport report_;
};

}  // namespace cairn

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/event_store.h"
#include "upcasters/chain/chains.h"
#include "upcasters/definitions/registry_history.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/upcaster.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

// What trying an upcaster on stored events has shown.
struct VerificationReport {
  std::uint64_t checked = 0;                   // events that came as far as the upcaster
  std::uint64_t failed = 0;                    // of these
  std::vector<ShapeFault> failures;            // the first ones
  std::map<std::string, std::uint64_t> kinds;  // how often each kind of failure was met
  bool complete = true;    // false: given up, because it took more time or memory than an upcaster may
  GlobalPosition through;  // the last position that was looked at
};

inline constexpr std::size_t kFailuresListed = 100;

// How many kinds of failures are told apart; the rest are counted together.
inline constexpr std::size_t kFailureKinds = 50;

struct VerificationProgress {
  GlobalPosition position;
  GlobalPosition head;
  std::uint64_t checked = 0;
  std::uint64_t failed = 0;
};

// Told now and then, from one thread. Return false to give up.
using OnVerificationProgress = std::function<bool(const VerificationProgress& progress)>;

// Whether nobody waits for the outcome any more. Any thread.
using IsCancelled = std::function<bool()>;

// Tries an upcaster on every stored event that would pass through it, all the way to the newest version.
// Nothing is kept of the results. What failed already without the upcaster, before it or behind it, is not
// counted against it. Belongs to one thread; uses several.
class Verification {
 public:
  // What counts as a failure: all that is worse with the upcaster than without, or only what fails in its own
  // script, and not for taking long, which may be the machine's fault.
  enum class Blame { kAll, kItself };

  // `candidate` has the upcaster in its place; events up to `through` need not be looked at. REQUIRES:
  // `store` and `shapers`, which read as things are now, outlive it.
  Verification(EventStore& store, HistorySource& history, ShaperPool& shapers, TypeHistory candidate,
               std::shared_ptr<const Upcaster> upcaster, std::vector<std::string> stored_types,
               GlobalPosition through, Blame blame);

  // Looks at events up to `to`, from where it stopped before. kFailedPrecondition when `progress` or
  // `cancelled` gave up.
  Status run(GlobalPosition to, unsigned threads, const OnVerificationProgress& progress,
             const IsCancelled& cancelled = {});

  const VerificationReport& report() const { return report_; }
  const std::string& fingerprint() const { return upcaster_->fingerprint; }

 private:
  class Range;

  EventStore& store_;
  ShaperPool& now_;
  CandidateHistory history_;
  Chains chains_{history_};
  ShaperPool candidate_{chains_};
  const std::shared_ptr<const Upcaster> upcaster_;
  const std::vector<std::string> types_;
  const Blame blame_;
  VerificationReport report_;
};

}  // namespace cairn

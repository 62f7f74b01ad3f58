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

// The result of running an upcaster on stored events.
struct VerificationReport {
  std::uint64_t checked = 0;                   // events that reached the upcaster
  std::uint64_t failed = 0;                    // of these
  std::vector<ShapeFault> failures;            // the first kFailuresListed
  std::map<std::string, std::uint64_t> kinds;  // how often each kind of failure occurred
  bool complete = true;    // false: stopped early, because the upcaster exceeded a limit of time or memory
  GlobalPosition through;  // the last position that was read
};

inline constexpr std::size_t kFailuresListed = 100;

// Kinds of failures that are counted separately; the rest are counted together.
inline constexpr std::size_t kFailureKinds = 50;

struct VerificationProgress {
  GlobalPosition position;
  GlobalPosition head;
  std::uint64_t checked = 0;
  std::uint64_t failed = 0;
};

// Called after each range of the log, from the thread that runs the verification. Return false to cancel it.
using OnVerificationProgress = std::function<bool(const VerificationProgress& progress)>;

// Whether the client no longer waits for the result. Called from any thread.
using IsCancelled = std::function<bool()>;

// Runs an upcaster on every stored event that would pass through it, up to the newest version, and discards
// the results. An event that fails without the upcaster too, before it or behind it, is not a failure of the
// upcaster. Not thread-safe; uses several threads.
class Verification {
 public:
  // `candidate` is the history with the upcaster in its place; `stored_types` are those of the events that
  // may pass through it. REQUIRES: `log` and `shapers`, which read with the current history, outlive it.
  Verification(LogReader& log, HistorySource& history, ShaperPool& shapers, TypeHistory candidate,
               std::shared_ptr<const Upcaster> upcaster, std::vector<std::string> stored_types);

  // Verifies the events up to `to`, from where the last call stopped. kFailedPrecondition when `progress` or
  // `cancelled` cancelled it.
  Status run(GlobalPosition to, unsigned threads, const OnVerificationProgress& progress,
             const IsCancelled& cancelled = {});

  const VerificationReport& report() const { return report_; }
  const std::vector<std::string>& stored_types() const { return types_; }

 private:
  class Range;

  LogReader& log_;
  ShaperPool& now_;
  CandidateHistory history_;
  Chains chains_{history_};
  ShaperPool candidate_{chains_};
  const std::shared_ptr<const Upcaster> upcaster_;
  const std::vector<std::string> types_;
  VerificationReport report_;
};

}  // namespace cairn

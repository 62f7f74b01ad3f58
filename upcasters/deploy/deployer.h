#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "eventstore/base/log_event.h"
#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/work_budget.h"
#include "eventstore/json/request_origin.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"
#include "upcasters/deploy/append_hold.h"
#include "upcasters/deploy/check_step.h"
#include "upcasters/deploy/verification.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

enum class DryRun : bool { kNo, kYes };

// A script to deploy. Type and versions, if the client gives them, must agree with those in the script.
struct UpcasterDraft {
  std::string source;
  std::string file = "upcaster.lua";  // its name in errors
  std::optional<std::string> type = {};
  std::optional<std::uint32_t> from = {};
  std::optional<std::uint32_t> to = {};
};

struct DeployOptions {
  DryRun dry_run = DryRun::kNo;
  unsigned threads = 2;
  OnVerificationProgress progress = {};
  // Called for each event, from several threads; true cancels the deployment. `progress` is called too seldom
  // for that when a script is slow.
  IsCancelled cancelled = {};
  // For parsing and comparing schemas, each time the deployment is planned. `stopping` may be nullptr; once it
  // is set, the planning ends.
  std::chrono::nanoseconds planning_cpu_max = WorkLimits::kNoTime;
  const std::atomic<bool>* stopping = nullptr;
  RequestOrigin origin = {};  // goes into the metadata of what is appended
};

// What was deployed, or would be by a dry run.
struct Deployed {
  UpcasterHeader header;
  std::string fingerprint;
  std::uint32_t revision = 0;
  bool unchanged = false;     // the same upcaster was already active, and its definition was not appended
  VerificationReport report;  // without failures
  std::optional<SchemaId> schema;  // of register_schema()
};

// Why an upcaster was refused: its script, its place among the versions, the events it fails on, the schema
// that came with it, or the store.
using DeployRefusal = std::variant<ScriptError, StepRefusal, VerificationReport, RegistryError, Error>;
using DeployOutcome = Result<Deployed, DeployRefusal>;

// Deploys upcasters after verifying them on all stored events. Thread-safe; deployments run one at a time.
// See docs/architecture.md, "The life of a schema change".
//
// Invariants:
//  1. An upcaster in the log has been run on every event before its definition that passes through it. Its
//     append has the condition that no such event stands behind the last one that was verified.
//  2. A refused upcaster changes nothing: nothing was appended.
//  3. A deployment is one append: a schema that comes with an upcaster is registered together with it or not
//     at all, whenever the process ends.
class Deployer {
 public:
  // REQUIRES: all outlive it.
  Deployer(StoreAccess store, SchemaRegistry& registry, Upcasters& upcasters, HistorySource& history,
           ShaperPool& shapers, LogSink on_log = {})
      : store_(store),
        registry_(registry),
        upcasters_(upcasters),
        history_(history),
        shapers_(shapers),
        on_log_(std::move(on_log)) {}

  // A refusal is logged, unless it is that of a dry run.
  DeployOutcome deploy(const UpcasterDraft& draft, const DeployOptions& options) {
    return logged(draft, options, run(draft, nullptr, options));
  }

  // Registers a schema together with the upcaster that leads to it. The schema need not be compatible with
  // its predecessor.
  DeployOutcome register_schema(const Registration& wanted, const UpcasterDraft& draft,
                                const DeployOptions& options) {
    return logged(draft, options, run(draft, &wanted, options));
  }

  // Callers that append events of clients ask it first.
  AppendHold& hold() { return hold_; }

 private:
  struct Candidate;
  template <typename T>
  using Refusable = Result<T, DeployRefusal>;

  enum class Appended {
    kYes,
    kMoved,         // nothing: another client changed the schemas or definitions since it was planned
    kEventsBehind,  // nothing: an event that passes through the upcaster came in behind the verified ones
  };

  DeployOutcome run(const UpcasterDraft& draft, const Registration* wanted, const DeployOptions& options);
  DeployOutcome logged(const UpcasterDraft& draft, const DeployOptions& options, DeployOutcome outcome)
      CAIRN_EXCLUDES(log_mutex_);
  Refusable<void> plan(const UpcasterHeader& header, const std::string& source, const Registration* wanted,
                       const DeployOptions& options, Candidate& candidate) CAIRN_REQUIRES(mutex_);
  Refusable<void> plan_schema(const Registration& wanted, const UpcasterHeader& header, Candidate& candidate,
                              WorkBudget& budget) CAIRN_REQUIRES(mutex_);
  Refusable<void> verify(Candidate& candidate, const DeployOptions& options) CAIRN_REQUIRES(mutex_);
  Refusable<Appended> append(const Candidate& candidate, const RequestOrigin& origin) CAIRN_REQUIRES(mutex_);

  const StoreAccess store_;
  SchemaRegistry& registry_;
  Upcasters& upcasters_;
  HistorySource& history_;
  ShaperPool& shapers_;
  const LogSink on_log_;
  Mutex log_mutex_;
  KeyedLogThrottle refusals_ CAIRN_GUARDED_BY(log_mutex_){64};  // by type
  AppendHold hold_;
  Mutex mutex_;  // held for a whole deployment: no member needs it, but two deployments must not interleave
};

}  // namespace cairn

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/definitions/upcasters.h"
#include "upcasters/deploy/check_step.h"
#include "upcasters/deploy/verification.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn {

enum class DryRun : bool { kNo, kYes };

// What is to be deployed: a script, and what the client says it is, which must agree with what it says
// itself.
struct UpcasterDraft {
  std::string source;
  std::string file = "upcaster.lua";  // how errors call it
  std::optional<std::string> type = {};
  std::optional<std::uint32_t> from = {};
  std::optional<std::uint32_t> to = {};
};

struct DeployOptions {
  DryRun dry_run = DryRun::kNo;
  unsigned threads = 2;
  OnVerificationProgress progress = {};
  // Asked for each event, from several threads: true gives up. Progress is told too seldom for that when a
  // script is slow.
  IsCancelled cancelled = {};
};

// What was deployed, or would be.
struct Deployed {
  UpcasterHeader header;
  std::string fingerprint;
  std::uint32_t revision = 0;
  bool unchanged = false;          // it was there already, and nothing was done
  VerificationReport report;       // without failures
  std::optional<SchemaId> schema;  // of register_schema()
};

// Why it was not: the script, its place among the versions, the events it fails on, the schema it came with,
// or the store.
using DeployRefusal = std::variant<ScriptError, StepRefusal, VerificationReport, RegistryError, Error>;
using DeployOutcome = std::variant<Deployed, DeployRefusal>;

// Takes upcasters in, after trying them on all history. Any thread; one deployment at a time.
//
// What holds:
//  1. An upcaster that is on has been run on every stored event that stands before its definition in the log
//  and passes
//     through it, also on those that came in while it was being tried.
//  2. One that is refused changes nothing: the upcaster before it stays.
//  3. A schema that comes with an upcaster is registered together with it or not at all.
class Deployer {
 public:
  // REQUIRES: all outlive it.
  Deployer(EventStore& store, SchemaRegistry& registry, Upcasters& upcasters, HistorySource& history,
           ShaperPool& shapers)
      : store_(store), registry_(registry), upcasters_(upcasters), history_(history), shapers_(shapers) {}

  // At the start: reads the definitions, and does what a crash may have left undone. Fails as the store does.
  Status start();

  // In place of start(), and from then on again and again, where the store is read beside the process that
  // has it: reads the definitions, and tries for itself what the other one tries behind the definition.
  // Nothing is appended: an upcaster that fails there is for the other process to withdraw, and this is
  // kOverloaded until it has. Fails as the store does.
  Status follow();

  DeployOutcome deploy(const UpcasterDraft& draft, const DeployOptions& options) {
    return run(draft, nullptr, options);
  }

  // Registers a schema that its predecessor need not be compatible with, because the upcaster leads to it.
  DeployOutcome register_schema(const Registration& wanted, const UpcasterDraft& draft,
                                const DeployOptions& options) {
    return run(draft, &wanted, options);
  }

 private:
  struct Candidate;
  using Refused = std::optional<DeployRefusal>;

  DeployOutcome run(const UpcasterDraft& draft, const Registration* wanted, const DeployOptions& options);
  Refused plan(const UpcasterHeader& header, const std::string& source, const Registration* wanted,
               Candidate& candidate);
  Refused plan_schema(const Registration& wanted, const UpcasterHeader& header, Candidate& candidate);
  Refused take_in(Candidate& candidate, const DeployOptions& options);
  Refused append(Candidate& candidate, const Registration* wanted, bool& moved);
  Refused append_alone(const Candidate& candidate, bool& moved);
  Refused append_with_schema(const Candidate& candidate, const Registration& wanted, bool& moved);
  Refused settle(Verification* current);
  Result<StreamAppend> definition_of(const Candidate& candidate);
  Status withdraw(const Upcaster& upcaster, const VerificationReport& report);
  void unregister(const UpcasterHeader& header);
  TypeHistory history_with_unsettled(const std::string& type);
  std::unique_ptr<Verification> verification_of(const std::shared_ptr<const Upcaster>& upcaster,
                                                TypeHistory history, GlobalPosition through,
                                                Verification::Blame blame);

  EventStore& store_;
  SchemaRegistry& registry_;
  Upcasters& upcasters_;
  HistorySource& history_;
  ShaperPool& shapers_;
  std::mutex mutex_;
};

}  // namespace cairn

#include "upcasters/deploy/deployer.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "upcasters/definitions/produced_types.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/deploy/refusal_line.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn {

namespace {

// An attempt fails only when another client's append succeeds, so this bound is not reached in practice.
constexpr int kAttemptsMax = 100;

// A verification is repeated for the events appended while it ran, until so few of them are left or so many
// turns are over.
constexpr int kTurnsMax = 20;
constexpr std::uint64_t kLittleLeft = 1'000;

// So often the append may find events behind the verified ones before appends of the types in question wait,
// and so long they wait at most.
constexpr int kRoundsWithoutHold = 5;
constexpr std::chrono::milliseconds kHoldMax{2'000};

// Ends the hold with the deployment, however that ends.
class HoldEnd {
 public:
  explicit HoldEnd(AppendHold& hold) : hold_(hold) {}
  ~HoldEnd() { hold_.end(); }
  HoldEnd(const HoldEnd&) = delete;
  HoldEnd& operator=(const HoldEnd&) = delete;

 private:
  AppendHold& hold_;
};

// The type and versions in the request must be those in the script.
Result<void, StepRefusal> check_agreement(const UpcasterDraft& draft, const UpcasterHeader& header) {
  const auto refuse = [](const char* what, const auto& asked, const auto& said) {
    return StepRefusal{"wrong-target", fmt::format("the request is about {0} {1}, the script says {0} = {2}",
                                                   what, asked, said)};
  };
  if (draft.type && *draft.type != header.type) return refuse("type", *draft.type, header.type);
  if (draft.from && *draft.from != header.from) return refuse("from", *draft.from, header.from);
  if (draft.to && *draft.to != header.to) return refuse("to", *draft.to, header.to);
  return {};
}

bool same_versions(const SubjectVersions& one, const SubjectVersions& other) {
  return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin(),
                                                  [](const SubjectVersion& a, const SubjectVersion& b) {
                                                    return a.version == b.version && a.deleted == b.deleted &&
                                                           a.schema->id == b.schema->id;
                                                  });
}

}  // namespace

// An upcaster that is being deployed.
struct Deployer::Candidate {
  // The versions of the two streams at which it was planned, and will be appended.
  std::uint64_t schemas_version = 0;
  std::uint64_t definitions_version = 0;

  std::shared_ptr<const Upcaster> upcaster;
  SubjectVersions versions;  // of its type
  bool unchanged = false;    // the same upcaster is active: its definition is not appended again
  std::unique_ptr<Verification> verification;

  // Of register_schema().
  std::optional<SchemaId> schema;
  std::vector<RegistryEvent> schema_events;   // none when it is registered already
  std::optional<SubjectVersion> new_version;  // that these give

  bool has_news() const { return !unchanged || !schema_events.empty(); }
};

DeployOutcome Deployer::run(const UpcasterDraft& draft, const Registration* wanted,
                            const DeployOptions& options) {
  CAIRN_TRY(const UpcasterScript script, UpcasterScript::load(draft.source, draft.file));
  const UpcasterHeader& header = script.header();
  CAIRN_CHECK(check_agreement(draft, header));

  const MutexLock one_at_a_time(mutex_);
  const HoldEnd hold_end(hold_);
  const bool dry = options.dry_run == DryRun::kYes;
  Candidate candidate;
  int rounds = 0;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    CAIRN_CHECK(plan(header, draft.source, wanted, options, candidate));
    // A dry run verifies an unchanged upcaster too: its client wants the report.
    if (candidate.has_news() || dry) CAIRN_CHECK(verify(candidate, options));
    if (candidate.has_news() && !dry) {
      CAIRN_TRY(const Appended appended, append(candidate, options.origin));
      if (appended == Appended::kEventsBehind && ++rounds >= kRoundsWithoutHold)
        hold_.begin(candidate.verification->stored_types(), kHoldMax);
      if (appended != Appended::kYes) continue;
    }
    Deployed deployed{header,
                      candidate.upcaster->fingerprint,
                      candidate.upcaster->revision,
                      candidate.unchanged,
                      {},
                      candidate.schema};
    if (candidate.verification) deployed.report = candidate.verification->report();
    return deployed;
  }
  return make_error(Errc::kOverloaded,
                    "other clients keep changing the schemas, or appending events that the upcaster must be "
                    "run on; try again");
}

// A deployment that was cancelled, or met a store that stops, is no verdict on the upcaster.
DeployOutcome Deployer::logged(const UpcasterDraft& draft, const DeployOptions& options,
                               DeployOutcome outcome) {
  if (outcome || options.dry_run == DryRun::kYes || std::holds_alternative<Error>(outcome.error()))
    return outcome;
  LogEvent event = refusal_line(draft, outcome.error());
  const MutexLock lock(log_mutex_);
  const auto suppressed = refusals_.take(draft.type.value_or(draft.file), system_time());
  if (!suppressed) return outcome;
  add_suppressed(event, *suppressed);
  log_to(on_log_, event);
  return outcome;
}

// Finds the upcaster's place among the versions. A verification of an earlier attempt is kept when neither
// the versions nor the new schema have changed since.
Deployer::Refusable<void> Deployer::plan(const UpcasterHeader& header, const std::string& source,
                                         const Registration* wanted, const DeployOptions& options,
                                         Candidate& candidate) {
  WorkBudget budget({.cpu = options.planning_cpu_max});
  if (options.stopping != nullptr) budget.cancel_with(*options.stopping);
  const WorkBudget::OnThread measured(budget);
  CAIRN_CHECK(registry_.catch_up());
  CAIRN_CHECK(upcasters_.catch_up());
  // Read before the states that belong to them: these may be newer, and then the append conflicts.
  candidate.schemas_version = registry_.changes();
  candidate.definitions_version = upcasters_.stream_version();
  const std::optional<SubjectVersion> planned_before = std::exchange(candidate.new_version, std::nullopt);
  if (wanted != nullptr) CAIRN_CHECK(plan_schema(*wanted, header, candidate, budget));
  TypeHistory history = history_.history(header.type);
  const SubjectVersions versions = history.versions;
  if (candidate.new_version) insert_version(history.versions, *candidate.new_version);
  const auto step = check_step(history, header, &budget);
  if (budget.has_ended()) {
    return budget.error(
        fmt::format("the versions of {} from {} on were being compared", header.type, header.to));
  }
  CAIRN_CHECK(step);

  const auto id_of = [](const std::optional<SubjectVersion>& version) {
    return version ? version->schema->id.value : 0;
  };
  if (candidate.verification != nullptr && same_versions(versions, candidate.versions) &&
      id_of(planned_before) == id_of(candidate.new_version)) {
    return {};
  }
  candidate.versions = versions;
  const SubjectVersion& from = *history.version(header.from);
  const auto installed = history.upcaster_from(from);
  Upcaster upcaster;
  upcaster.header = header;
  upcaster.source = source;
  upcaster.fingerprint = fingerprint_of(header, source);
  candidate.unchanged = installed != nullptr && installed->fingerprint == upcaster.fingerprint;
  upcaster.revision = upcasters_.revisions(header.type, header.from) + 1;
  upcaster.from_schema = from.schema->id;
  upcaster.to_schema = history.version(header.to)->schema->id;
  upcaster.registry_changes = candidate.schemas_version;
  upcaster.with_schema = candidate.new_version.has_value();
  candidate.upcaster =
      candidate.unchanged ? installed : std::make_shared<const Upcaster>(std::move(upcaster));
  history.upcasters[header.from] = candidate.upcaster;
  candidate.verification =
      std::make_unique<Verification>(store_.log(), history_, shapers_, std::move(history), candidate.upcaster,
                                     stored_types_of(upcasters_, {header.type}));
  return {};
}

// Decides which version and id the schema gets, without the check of compatibility with its predecessor.
Deployer::Refusable<void> Deployer::plan_schema(const Registration& wanted, const UpcasterHeader& header,
                                                Candidate& candidate, WorkBudget& budget) {
  if (wanted.subject != header.type) {
    return StepRefusal{"wrong-target", "the schema is registered for " + wanted.subject +
                                           ", the upcaster that came with it is for " + header.type};
  }
  Registration unchecked = wanted;
  unchecked.check = CheckCompatibility::kNo;
  unchecked.lost = upcasters_.lost_versions(wanted.subject);
  const auto decided = registry_.read([&](const RegistryState& state) -> RegistryResult<SchemaId> {
    CAIRN_TRY(auto decision, decide_register(state, unchecked, &budget));
    candidate.schemas_version = state.event_count();
    for (const RegistryEvent& event : decision.events) {
      const auto* registered = std::get_if<SchemaRegistered>(&event);
      if (registered == nullptr) continue;
      CAIRN_TRY(const CheckedRegistryEvent checked, state.check(*registered));
      candidate.new_version =
          SubjectVersion{registered->version, false, checked.schema, state.event_count() + 1};
    }
    candidate.schema_events = std::move(decision.events);
    return decision.answer;
  });
  CAIRN_TRY(candidate.schema, decided);
  if (candidate.new_version && candidate.new_version->version != header.to) {
    return StepRefusal{
        "wrong-target",
        fmt::format("the schema becomes version {} of {}, the upcaster that came with it leads to {}",
                    candidate.new_version->version, header.type, header.to)};
  }
  return {};
}

// Runs the upcaster on the stored events, and on those appended meanwhile.
Deployer::Refusable<void> Deployer::verify(Candidate& candidate, const DeployOptions& options) {
  const IsCancelled cancelled = [&] {
    hold_.end_if_over();
    return options.cancelled && options.cancelled();
  };
  Verification& verification = *candidate.verification;
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    const GlobalPosition head = store_.log().head();
    const bool little = head.value - verification.report().through.value < kLittleLeft;
    CAIRN_CHECK(verification.run(head, options.threads, options.progress, cancelled));
    if (verification.report().failed > 0) return verification.report();
    if (little) break;
  }
  hold_.end_if_over();
  return {};
}

// Invariants 1 and 3: the writer thread checks the versions of both streams and the condition against
// everything that stands before this request, and appends all of it or nothing.
Deployer::Refusable<Deployer::Appended> Deployer::append(const Candidate& candidate,
                                                         const RequestOrigin& origin) {
  const VerificationReport& report = candidate.verification->report();
  StreamAppend schemas{std::string(kSchemaStream), ExpectedVersion::exactly(candidate.schemas_version), {}};
  for (const RegistryEvent& event : candidate.schema_events) schemas.events.push_back(to_new_event(event));
  StreamAppend definitions{
      std::string(kDefinitionStream), ExpectedVersion::exactly(candidate.definitions_version), {}};
  if (!candidate.unchanged) {
    definitions.events.push_back(
        to_new_event(UpcasterInstalled{*candidate.upcaster, report.through, report.checked}));
  }
  AppendRequest request;
  request.origin = Origin::kSystem;
  request.streams.push_back(std::move(schemas));
  request.streams.push_back(std::move(definitions));
  for (StreamAppend& append : request.streams) {
    for (NewEvent& event : append.events) event.metadata = metadata_of(origin);
  }
  request.checks.condition = no_events_behind(candidate.verification->stored_types(), report.through);
  const auto appended = store_.append(std::move(request));
  if (!appended) {
    if (appended.error().code == Errc::kVersionConflict) return Appended::kMoved;
    if (appended.error().code == Errc::kStale) return Appended::kEventsBehind;
    return appended.error();
  }
  CAIRN_CHECK(registry_.catch_up());
  CAIRN_CHECK(upcasters_.catch_up());
  return Appended::kYes;
}

}  // namespace cairn

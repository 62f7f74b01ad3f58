#include "upcasters/deploy/deployer.h"

#include <fmt/format.h>

#include <utility>

#include "eventstore/base/assert.h"
#include "upcasters/definitions/produced_types.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn {

namespace {

// An attempt fails only when another client's append succeeds, so this bound is not reached in practice.
constexpr int kAttemptsMax = 100;

// A verification is repeated for the events appended while it ran, until so few of them are left or so many
// turns are over. Those left are verified after the definition has been appended.
constexpr int kTurnsMax = 20;
constexpr std::uint64_t kLittleLeft = 1'000;

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
  std::shared_ptr<const Upcaster> upcaster;
  SubjectVersions versions;                   // of its type, when it was planned
  std::optional<SubjectVersion> new_version;  // that is registered with it
  bool unchanged = false;
  std::unique_ptr<Verification> verification;
  std::optional<SchemaId> schema;
  GlobalPosition position;
};

DeployOutcome Deployer::run(const UpcasterDraft& draft, const Registration* wanted,
                            const DeployOptions& options) {
  CAIRN_TRY(const UpcasterScript script, UpcasterScript::load(draft.source, draft.file));
  const UpcasterHeader& header = script.header();
  CAIRN_CHECK(check_agreement(draft, header));

  const MutexLock one_at_a_time(mutex_);
  Candidate candidate;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    CAIRN_CHECK(plan(header, draft.source, wanted, candidate));
    const bool dry = options.dry_run == DryRun::kYes;
    // A dry run verifies an unchanged upcaster too: its client wants the report.
    if (!candidate.unchanged || dry) CAIRN_CHECK(verify(candidate, options));
    if (!dry && (!candidate.unchanged || wanted != nullptr)) {
      CAIRN_TRY(const Appended appended, append(candidate, wanted));
      if (appended == Appended::kNo) continue;
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
  return make_error(Errc::kOverloaded, "other clients keep changing the schemas; try again");
}

// Finds the upcaster's place among the versions. A verification of an earlier attempt is kept when neither
// the versions nor the new schema have changed since.
Deployer::Refusable<void> Deployer::plan(const UpcasterHeader& header, const std::string& source,
                                         const Registration* wanted, Candidate& candidate) {
  CAIRN_CHECK(upcasters_.catch_up());
  std::optional<SubjectVersion> planned_before = std::move(candidate.new_version);
  candidate.new_version.reset();
  if (wanted != nullptr) CAIRN_CHECK(plan_schema(*wanted, header, candidate));
  TypeHistory history = history_.history(header.type);
  const SubjectVersions versions = history.versions;
  if (candidate.new_version) history.versions.push_back(*candidate.new_version);
  CAIRN_CHECK(check_step(history, header));

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
  upcaster.registry_changes = registry_.changes();
  candidate.upcaster =
      candidate.unchanged ? installed : std::make_shared<const Upcaster>(std::move(upcaster));
  candidate.verification =
      verification_of(candidate.upcaster, std::move(history), {0}, Verification::Blame::kAll);
  return {};
}

// Decides which version and id the schema will get, as its registration will, without the check of
// compatibility with its predecessor.
Deployer::Refusable<void> Deployer::plan_schema(const Registration& wanted, const UpcasterHeader& header,
                                                Candidate& candidate) {
  if (wanted.subject != header.type) {
    return StepRefusal{"wrong-target", "the schema is registered for " + wanted.subject +
                                           ", the upcaster that came with it is for " + header.type};
  }
  std::optional<SubjectVersion> planned;
  const auto decided = registry_.read([&](const RegistryState& state) -> RegistryResult<SchemaId> {
    Registration unchecked = wanted;
    unchecked.check = CheckCompatibility::kNo;
    CAIRN_TRY(const auto decision, decide_register(state, unchecked));
    for (const RegistryEvent& event : decision.events) {
      const auto* registered = std::get_if<SchemaRegistered>(&event);
      if (registered == nullptr) continue;
      CAIRN_TRY(const CheckedRegistryEvent checked, state.check(*registered));
      planned = SubjectVersion{registered->version, false, checked.schema, state.event_count() + 1};
    }
    return decision.answer;
  });
  CAIRN_TRY(candidate.schema, decided);
  candidate.new_version = std::move(planned);
  if (candidate.new_version && candidate.new_version->version != header.to) {
    return StepRefusal{
        "wrong-target",
        fmt::format("the schema becomes version {} of {}, the upcaster that came with it leads to {}",
                    candidate.new_version->version, header.type, header.to)};
  }
  return {};
}

std::unique_ptr<Verification> Deployer::verification_of(const std::shared_ptr<const Upcaster>& upcaster,
                                                        TypeHistory history, GlobalPosition through,
                                                        Verification::Blame blame) {
  history.upcasters[upcaster->header.from] = upcaster;
  auto types = stored_types_of(upcasters_, {upcaster->header.type});
  return std::make_unique<Verification>(store_.log(), history_, shapers_, std::move(history), upcaster,
                                        std::move(types), through, blame);
}

// Runs the upcaster on the stored events, and on those appended meanwhile.
Deployer::Refusable<void> Deployer::verify(Candidate& candidate, const DeployOptions& options) {
  Verification& verification = *candidate.verification;
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    const GlobalPosition head = store_.log().head();
    const bool little = head.value - verification.report().through.value < kLittleLeft;
    CAIRN_CHECK(verification.run(head, options.threads, options.progress, options.cancelled));
    if (verification.report().failed > 0) return verification.report();
    if (little) break;
  }
  return {};
}

Result<StreamAppend> Deployer::definition_of(const Candidate& candidate) {
  CAIRN_CHECK(upcasters_.catch_up());
  const VerificationReport& report = candidate.verification->report();
  StreamAppend append{
      std::string(kDefinitionStream), ExpectedVersion::exactly(upcasters_.stream_version()), {}};
  append.events.push_back(to_new_event(UpcasterInstalled{*candidate.upcaster, report.through, report.checked,
                                                         candidate.new_version.has_value()}));
  return append;
}

// Appends the definition, with the schema if the request has one, and settles it.
Deployer::Refusable<Deployer::Appended> Deployer::append(Candidate& candidate, const Registration* wanted) {
  CAIRN_TRY(const Appended appended,
            wanted == nullptr ? append_alone(candidate) : append_with_schema(candidate, *wanted));
  if (appended == Appended::kNo) return Appended::kNo;
  CAIRN_CHECK(upcasters_.catch_up());
  Verification& verification = *candidate.verification;
  auto settled = settle(&verification);
  upcasters_.disarm(*candidate.upcaster);
  CAIRN_CHECK(std::move(settled));
  if (candidate.unchanged) return Appended::kYes;
  // Events that were admitted before the upcaster was active may have been appended since.
  CAIRN_CHECK(verification.run(store_.log().head(), 1, {}));
  if (verification.report().failed == 0) return Appended::kYes;
  CAIRN_CHECK(withdraw(*candidate.upcaster, verification.report()));
  if (candidate.new_version) unregister(candidate.upcaster->header);
  return verification.report();
}

Deployer::Refusable<Deployer::Appended> Deployer::append_alone(const Candidate& candidate) {
  CAIRN_TRY(StreamAppend definition, definition_of(candidate));
  // The expected version of the schema stream makes the append fail if a schema changes after this look at
  // them.
  const std::uint64_t registry_changes = registry_.changes();
  if (!same_versions(history_.history(candidate.upcaster->header.type).versions, candidate.versions)) {
    return Appended::kNo;
  }
  AppendRequest request;
  request.origin = Origin::kSystem;
  request.streams.push_back(std::move(definition));
  request.streams.push_back({std::string(kSchemaStream), ExpectedVersion::exactly(registry_changes), {}});
  const auto appended = store_.append(std::move(request));
  if (appended) return Appended::kYes;
  if (appended.error().code == Errc::kVersionConflict) return Appended::kNo;
  return appended.error();
}

Deployer::Refusable<Deployer::Appended> Deployer::append_with_schema(const Candidate& candidate,
                                                                     const Registration& wanted) {
  Registration unchecked = wanted;
  unchecked.check = CheckCompatibility::kNo;
  bool moved = false;  // another client changed what the candidate was planned with
  const auto with_definition =
      [&](const std::vector<RegistryEvent>& decided) -> RegistryResult<std::vector<StreamAppend>> {
    const auto* registered = decided.empty() ? nullptr : std::get_if<SchemaRegistered>(&decided.front());
    const bool as_planned = candidate.new_version
                                ? registered != nullptr &&
                                      registered->version == candidate.new_version->version &&
                                      registered->id == candidate.new_version->schema->id
                                : decided.empty();
    moved = !as_planned;
    if (moved) return not_permitted("moved");
    if (candidate.unchanged) return std::vector<StreamAppend>();
    CAIRN_TRY(StreamAppend definition, definition_of(candidate));
    return std::vector<StreamAppend>{std::move(definition)};
  };
  // A reader that sees the schema must see its upcaster, so the upcaster is armed before the append.
  if (!candidate.unchanged) upcasters_.arm(candidate.upcaster);
  const auto registered = registry_.register_schema(unchecked, with_definition);
  if (registered) {
    CAIRN_ASSERT(!moved,
                 candidate.upcaster->header.type);  // invariant 3: the schema and definition as planned
    return Appended::kYes;
  }
  if (!candidate.unchanged) upcasters_.disarm(*candidate.upcaster);
  if (moved) return Appended::kNo;
  return registered.error();
}

// Verifies each unsettled definition on the events before and behind it that it was not run on. It becomes
// active, or is withdrawn if it fails. `current` has verified the definition that was appended last.
Deployer::Refusable<void> Deployer::settle(Verification* current) {
  for (const Upcasters::Unsettled& unsettled : upcasters_.unsettled()) {
    std::unique_ptr<Verification> own;
    Verification* verification = current;
    if (current == nullptr || current->fingerprint() != unsettled.upcaster->fingerprint) {
      own = verification_of(unsettled.upcaster, history_with_unsettled(unsettled.upcaster->header.type),
                            unsettled.verified_through, Verification::Blame::kItself);
      verification = own.get();
    }
    CAIRN_CHECK(verification->run(unsettled.upcaster->position, 1, {}));
    if (verification->report().failed == 0) CAIRN_CHECK(verification->run(store_.log().head(), 1, {}));
    if (verification->report().failed == 0) {
      // invariant 1: it was run on all events before its definition
      CAIRN_ASSERT(verification->report().through >= unsettled.upcaster->position,
                   verification->report().through.value, unsettled.upcaster->position.value);
      upcasters_.settle(*unsettled.upcaster);
      continue;
    }
    CAIRN_CHECK(withdraw(*unsettled.upcaster, verification->report()));
    if (unsettled.with_schema) unregister(unsettled.upcaster->header);
    if (verification == current) return current->report();
  }
  return {};
}

TypeHistory Deployer::history_with_unsettled(const std::string& type) {
  TypeHistory history = history_.history(type);
  for (const Upcasters::Unsettled& one : upcasters_.unsettled()) {
    if (one.upcaster->header.type == type) history.upcasters[one.upcaster->header.from] = one.upcaster;
  }
  return history;
}

// Appends that the upcaster is withdrawn; the one before it becomes active again (invariant 2).
Status Deployer::withdraw(const Upcaster& upcaster, const VerificationReport& report) {
  CAIRN_ASSERT(!report.failures.empty(), report.failed);
  const ShapeFault& first = report.failures.front();
  const UpcasterWithdrawn withdrawn{
      upcaster.header.type, upcaster.header.from, upcaster.fingerprint,
      fmt::format("it failed on the event at position {}: {}", first.position.value, first.message)};
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({std::string(kDefinitionStream),
                               ExpectedVersion::exactly(upcasters_.stream_version()),
                               {to_new_event(withdrawn)}});
    const auto appended = store_.append(std::move(request));
    if (!appended && appended.error().code != Errc::kVersionConflict) return appended.error();
    CAIRN_CHECK(upcasters_.catch_up());
    if (appended) return {};
  }
  return make_error(Errc::kOverloaded, "other clients keep changing the definitions");
}

// Deletes the schema that was registered with a withdrawn upcaster. Events that clients have written with it
// since can still be read.
void Deployer::unregister(const UpcasterHeader& header) {
  for (const Permanent permanent : {Permanent::kNo, Permanent::kYes}) {
    if (!registry_.delete_version(header.type, header.to, permanent)) return;
  }
}

Status Deployer::start() {
  const MutexLock one_at_a_time(mutex_);
  CAIRN_CHECK(upcasters_.catch_up());
  // Without a current verification only the store can fail.
  if (const auto settled = settle(nullptr); !settled) return std::get<Error>(settled.error());
  return {};
}

Status Deployer::follow() {
  const MutexLock one_at_a_time(mutex_);
  CAIRN_CHECK(upcasters_.catch_up());
  for (const Upcasters::Unsettled& unsettled : upcasters_.unsettled()) {
    const Upcaster& upcaster = *unsettled.upcaster;
    const auto verification =
        verification_of(unsettled.upcaster, history_with_unsettled(upcaster.header.type),
                        unsettled.verified_through, Verification::Blame::kItself);
    CAIRN_CHECK(verification->run(upcaster.position, 1, {}));
    if (verification->report().failed > 0) {
      return make_error(
          Errc::kOverloaded,
          fmt::format(
              "the upcaster of {} from version {} fails on the event at position {}, and the server has "
              "not withdrawn it yet",
              upcaster.header.type, upcaster.header.from,
              verification->report().failures.front().position.value));
    }
    upcasters_.settle(upcaster);
  }
  return {};
}

}  // namespace cairn

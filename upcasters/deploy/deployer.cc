#include "upcasters/deploy/deployer.h"

#include <utility>

#include "upcasters/definitions/produced_types.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn {

namespace {

// Each turn is another's success, so nobody comes near this.
constexpr int kAttemptsMax = 100;

// Events that came in while earlier ones were tried are tried as well; what is left after so many turns, or
// when it is this little, is tried behind the definition.
constexpr int kTurnsMax = 20;
constexpr std::uint64_t kLittleLeft = 1'000;

// What the client says of the script must be what it says of itself.
std::optional<StepRefusal> check_agreement(const UpcasterDraft& draft, const UpcasterHeader& header) {
  const auto refuse = [](const std::string& what, const std::string& asked, const std::string& said) {
    return StepRefusal{"wrong-target", "the request is about " + what + " " + asked + ", the script says " +
                                           what + " = " + said};
  };
  if (draft.type && *draft.type != header.type) return refuse("type", *draft.type, header.type);
  if (draft.from && *draft.from != header.from) {
    return refuse("from", std::to_string(*draft.from), std::to_string(header.from));
  }
  if (draft.to && *draft.to != header.to)
    return refuse("to", std::to_string(*draft.to), std::to_string(header.to));
  return std::nullopt;
}

bool same_versions(const SubjectVersions& one, const SubjectVersions& other) {
  return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin(),
                                                  [](const SubjectVersion& a, const SubjectVersion& b) {
                                                    return a.version == b.version && a.deleted == b.deleted &&
                                                           a.schema->id == b.schema->id;
                                                  });
}

}  // namespace

// An upcaster on its way in.
struct Deployer::Candidate {
  std::shared_ptr<const Upcaster> upcaster;
  SubjectVersions versions;                   // as they were when it was planned
  std::optional<SubjectVersion> new_version;  // that it brings with it
  bool unchanged = false;
  std::unique_ptr<Verification> verification;
  std::optional<SchemaId> schema;
  GlobalPosition position;
};

DeployOutcome Deployer::run(const UpcasterDraft& draft, const Registration* wanted,
                            const DeployOptions& options) {
  const auto loaded = UpcasterScript::load(draft.source, draft.file);
  if (const auto* error = std::get_if<ScriptError>(&loaded)) return DeployRefusal(*error);
  const UpcasterHeader header = std::get<UpcasterScript>(loaded).header();
  if (auto refusal = check_agreement(draft, header)) return DeployRefusal(*std::move(refusal));

  const std::lock_guard one_at_a_time(mutex_);
  Candidate candidate;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    if (auto refused = plan(header, draft.source, wanted, candidate)) return *std::move(refused);
    const bool dry = options.dry_run == DryRun::kYes;
    if (!candidate.unchanged || dry) {  // Who asks for a trial gets one.
      if (auto refused = take_in(candidate, options)) return *std::move(refused);
    }
    bool moved = false;
    if (!dry && (!candidate.unchanged || wanted != nullptr)) {
      if (auto refused = append(candidate, wanted, moved)) return *std::move(refused);
    }
    if (moved) continue;
    Deployed deployed{header,
                      candidate.upcaster->fingerprint,
                      candidate.upcaster->revision,
                      candidate.unchanged,
                      {},
                      candidate.schema};
    if (candidate.verification) deployed.report = candidate.verification->report();
    return deployed;
  }
  return DeployRefusal(make_error(Errc::kOverloaded, "others change the schemas all the time; try again"));
}

// Finds the upcaster's place. What was tried before stays when nothing has moved since.
Deployer::Refused Deployer::plan(const UpcasterHeader& header, const std::string& source,
                                 const Registration* wanted, Candidate& candidate) {
  if (auto caught_up = upcasters_.catch_up(); !caught_up) return caught_up.error();
  std::optional<SubjectVersion> planned_before = std::move(candidate.new_version);
  candidate.new_version.reset();
  if (wanted != nullptr) {
    if (auto refused = plan_schema(*wanted, header, candidate)) return refused;
  }
  TypeHistory history = history_.history(header.type);
  const SubjectVersions versions = history.versions;
  if (candidate.new_version) history.versions.push_back(*candidate.new_version);
  if (auto refusal = check_step(history, header)) return *std::move(refusal);

  const auto id_of = [](const std::optional<SubjectVersion>& version) {
    return version ? version->schema->id.value : 0;
  };
  if (candidate.verification != nullptr && same_versions(versions, candidate.versions) &&
      id_of(planned_before) == id_of(candidate.new_version)) {
    return std::nullopt;
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
  return std::nullopt;
}

// What the schema would become. It is decided here as it will be when it is registered, without the
// comparison with its predecessor.
Deployer::Refused Deployer::plan_schema(const Registration& wanted, const UpcasterHeader& header,
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
  if (!decided) return decided.error();
  candidate.schema = *decided;
  candidate.new_version = std::move(planned);
  if (candidate.new_version && candidate.new_version->version != header.to) {
    return StepRefusal{"wrong-target", "the schema becomes version " +
                                           std::to_string(candidate.new_version->version) + " of " +
                                           header.type + ", the upcaster that came with it leads to " +
                                           std::to_string(header.to)};
  }
  return std::nullopt;
}

std::unique_ptr<Verification> Deployer::verification_of(const std::shared_ptr<const Upcaster>& upcaster,
                                                        TypeHistory history, GlobalPosition through,
                                                        Verification::Blame blame) {
  history.upcasters[upcaster->header.from] = upcaster;
  auto types = stored_types_of(upcasters_, {upcaster->header.type});
  return std::make_unique<Verification>(store_, history_, shapers_, std::move(history), upcaster,
                                        std::move(types), through, blame);
}

// Tries it on what there is, and on what came in meanwhile.
Deployer::Refused Deployer::take_in(Candidate& candidate, const DeployOptions& options) {
  Verification& verification = *candidate.verification;
  for (int turn = 0; turn < kTurnsMax; ++turn) {
    const GlobalPosition head = store_.head();
    const bool little = head.value - verification.report().through.value < kLittleLeft;
    if (Status status = verification.run(head, options.threads, options.progress, options.cancelled); !status)
      return status.error();
    if (verification.report().failed > 0) return verification.report();
    if (little) break;
  }
  return std::nullopt;
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

// Appends the definition, with the schema if one came along. `moved` when somebody else has changed what it
// was tried with: then nothing was done.
Deployer::Refused Deployer::append(Candidate& candidate, const Registration* wanted, bool& moved) {
  auto refused =
      wanted == nullptr ? append_alone(candidate, moved) : append_with_schema(candidate, *wanted, moved);
  if (refused || moved) return refused;
  if (Status status = upcasters_.catch_up(); !status) return status.error();
  Verification& verification = *candidate.verification;
  refused = settle(&verification);
  upcasters_.disarm(*candidate.upcaster);
  if (refused || candidate.unchanged) return refused;
  // Who asked at the door before it was on may have come in since.
  if (Status status = verification.run(store_.head(), 1, {}); !status) return status.error();
  if (verification.report().failed == 0) return std::nullopt;
  if (Status status = withdraw(*candidate.upcaster, verification.report()); !status) return status.error();
  if (candidate.new_version) unregister(candidate.upcaster->header);
  return verification.report();
}

Deployer::Refused Deployer::append_alone(const Candidate& candidate, bool& moved) {
  auto definition = definition_of(candidate);
  if (!definition) return definition.error();
  // Nobody may change the schemas between this look at them and the append.
  const std::uint64_t registry_changes = registry_.changes();
  moved = !same_versions(history_.history(candidate.upcaster->header.type).versions, candidate.versions);
  if (moved) return std::nullopt;
  AppendRequest request;
  request.origin = Origin::kSystem;
  request.streams.push_back(*std::move(definition));
  request.streams.push_back({std::string(kSchemaStream), ExpectedVersion::exactly(registry_changes), {}});
  const auto appended = store_.append(std::move(request));
  moved = !appended && appended.error().code == Errc::kVersionConflict;
  if (!appended && !moved) return appended.error();
  return std::nullopt;
}

Deployer::Refused Deployer::append_with_schema(const Candidate& candidate, const Registration& wanted,
                                               bool& moved) {
  Registration unchecked = wanted;
  unchecked.check = CheckCompatibility::kNo;
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
  // From the moment the schema is there its upcaster must be.
  if (!candidate.unchanged) upcasters_.arm(candidate.upcaster);
  const auto registered = registry_.register_schema(unchecked, with_definition);
  if (registered) return std::nullopt;
  if (!candidate.unchanged) upcasters_.disarm(*candidate.upcaster);
  if (moved) return std::nullopt;
  return registered.error();
}

// Tries what stands in the stream on those events it was not tried on, and on those behind it. Then it is on;
// one that fails is withdrawn. `current` has tried the one that was appended just now.
Deployer::Refused Deployer::settle(Verification* current) {
  for (const Upcasters::Unsettled& unsettled : upcasters_.unsettled()) {
    std::unique_ptr<Verification> own;
    Verification* verification = current;
    if (current == nullptr || current->fingerprint() != unsettled.upcaster->fingerprint) {
      own = verification_of(unsettled.upcaster, history_with_unsettled(unsettled.upcaster->header.type),
                            unsettled.verified_through, Verification::Blame::kItself);
      verification = own.get();
    }
    if (Status status = verification->run(unsettled.upcaster->position, 1, {}); !status)
      return status.error();
    if (verification->report().failed == 0) {
      if (Status status = verification->run(store_.head(), 1, {}); !status) return status.error();
    }
    if (verification->report().failed == 0) {
      upcasters_.settle(*unsettled.upcaster);
      continue;
    }
    if (Status status = withdraw(*unsettled.upcaster, verification->report()); !status) return status.error();
    if (unsettled.with_schema) unregister(unsettled.upcaster->header);
    if (verification == current) return current->report();
  }
  return std::nullopt;
}

TypeHistory Deployer::history_with_unsettled(const std::string& type) {
  TypeHistory history = history_.history(type);
  for (const Upcasters::Unsettled& one : upcasters_.unsettled()) {
    if (one.upcaster->header.type == type) history.upcasters[one.upcaster->header.from] = one.upcaster;
  }
  return history;
}

Status Deployer::withdraw(const Upcaster& upcaster, const VerificationReport& report) {
  const ShapeFault& first = report.failures.front();
  const UpcasterWithdrawn withdrawn{
      upcaster.header.type, upcaster.header.from, upcaster.fingerprint,
      "it failed on the event at position " + std::to_string(first.position.value) + ": " + first.message};
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
  return make_error(Errc::kOverloaded, "others change the definitions all the time");
}

// The schema goes as it came, with its upcaster. What others may have written with it since can still be
// read.
void Deployer::unregister(const UpcasterHeader& header) {
  for (const Permanent permanent : {Permanent::kNo, Permanent::kYes}) {
    if (!registry_.delete_version(header.type, header.to, permanent)) return;
  }
}

Status Deployer::start() {
  const std::lock_guard one_at_a_time(mutex_);
  CAIRN_CHECK(upcasters_.catch_up());
  const Refused refused = settle(nullptr);
  if (const auto* error = refused ? std::get_if<Error>(&*refused) : nullptr) return *error;
  return {};
}

Status Deployer::follow() {
  const std::lock_guard one_at_a_time(mutex_);
  CAIRN_CHECK(upcasters_.catch_up());
  for (const Upcasters::Unsettled& unsettled : upcasters_.unsettled()) {
    const Upcaster& upcaster = *unsettled.upcaster;
    const auto verification =
        verification_of(unsettled.upcaster, history_with_unsettled(upcaster.header.type),
                        unsettled.verified_through, Verification::Blame::kItself);
    CAIRN_CHECK(verification->run(upcaster.position, 1, {}));
    if (verification->report().failed > 0) {
      return make_error(Errc::kOverloaded,
                        "the upcaster of " + upcaster.header.type + " from version " +
                            std::to_string(upcaster.header.from) + " fails on the event at position " +
                            std::to_string(verification->report().failures.front().position.value) +
                            ", and the server has not withdrawn it yet");
    }
    upcasters_.settle(upcaster);
  }
  return {};
}

}  // namespace cairn

#include "schemaregistry/registry/schema_registry.h"

#include "eventstore/base/assert.h"

namespace cairn {

namespace {

// An attempt fails only when another registry's append succeeds, so this bound is not reached in practice.
constexpr int kAttemptsMax = 1'000;

constexpr std::size_t kPageEvents = 1'000;
constexpr std::size_t kPageBytes = 8u << 20;

AppendRequest append_of(const std::vector<RegistryEvent>& events, std::uint64_t at_version,
                        const RequestOrigin& origin) {
  StreamAppend append{std::string(kSchemaStream), ExpectedVersion::exactly(at_version), {}};
  for (const RegistryEvent& event : events) {
    append.events.push_back(to_new_event(event));
    append.events.back().metadata = metadata_of(origin);
  }
  AppendRequest request;
  request.streams.push_back(std::move(append));
  request.origin = Origin::kSystem;
  return request;
}

}  // namespace

Result<std::unique_ptr<SchemaRegistry>> SchemaRegistry::open_with(StoreAccess store) {
  std::unique_ptr<SchemaRegistry> registry(new SchemaRegistry(store));
  CAIRN_CHECK(registry->catch_up());
  return registry;
}

Result<std::unique_ptr<SchemaRegistry>> SchemaRegistry::open(EventStore& store) { return open_with(store); }

Result<std::unique_ptr<SchemaRegistry>> SchemaRegistry::open_reader(LogReader& log) { return open_with(log); }

// --- Following the stream --------------------------------------------------------------------------------

Status SchemaRegistry::catch_up() {
  const std::uint64_t head = store_.log().head().value;
  if (head == seen_head_.load(std::memory_order_acquire)) return {};
  const MutexLock lock(catch_up_mutex_);
  CAIRN_CHECK(apply_new_events());
  seen_head_.store(head, std::memory_order_release);
  return {};
}

Status SchemaRegistry::apply_new_events() {
  CAIRN_TRY(const auto info, store_.log().system_stream_info(kSchemaStream));
  while (info && changes() < info->version.value) {
    const StreamQuery query{
        .from = StreamVersion{changes() + 1}, .limit = kPageEvents, .bytes_max = kPageBytes};
    CAIRN_TRY(const StreamPage page, store_.log().read_system_stream(kSchemaStream, query));
    for (const EventView& stored : page.events) CAIRN_CHECK(apply_event(stored));
  }
  return {};
}

// Nothing else changes the state between the check and its application: catch_up_mutex_ is held.
Status SchemaRegistry::apply_event(const EventView& stored) {
  CAIRN_TRY(RegistryEvent event, read_registry_event(stored.type, stored.data));
  CheckedRegistryEvent checked;
  {
    const View view(*this);
    CAIRN_TRY(checked, view.state().check(std::move(event), parsed_ahead_));
  }
  const WriterLock lock(state_mutex_);
  // No View can come now. One that is there may read the state for long, so it keeps the one it sees.
  if (shared_->views.load(std::memory_order_acquire) > 0) {
    auto copy = std::make_shared<Shared>();
    copy->state = shared_->state;
    shared_ = std::move(copy);
  }
  RegistryState& state = shared_->state;
  state.apply(checked);
  // invariant 1: the state has applied every event of the stream up to this one, once and in order
  CAIRN_ASSERT(state.event_count() == stored.version.value, state.event_count(), stored.version.value);
  changes_.store(state.event_count(), std::memory_order_release);
  return {};
}

// --- For events ------------------------------------------------------------------------------------------

template <typename Find>
auto SchemaRegistry::find_or_catch_up(Find find) -> decltype(find(std::declval<const RegistryState&>())) {
  {
    const ReaderLock lock(state_mutex_);
    if (auto found = find(std::as_const(shared_->state))) return found;
  }
  if (!catch_up().ok()) return {};
  const ReaderLock lock(state_mutex_);
  return find(std::as_const(shared_->state));
}

std::shared_ptr<const StoredSchema> SchemaRegistry::latest(std::string_view subject) {
  return find_or_catch_up([subject](const RegistryState& state) -> std::shared_ptr<const StoredSchema> {
    const SubjectVersions* versions = state.find_subject(subject);
    const SubjectVersion* newest = versions == nullptr ? nullptr : newest_live(*versions);
    return newest == nullptr ? nullptr : newest->schema;
  });
}

std::shared_ptr<const StoredSchema> SchemaRegistry::version(std::string_view subject, std::uint32_t version) {
  return find_or_catch_up(
      [subject, version](const RegistryState& state) -> std::shared_ptr<const StoredSchema> {
        const SubjectVersions* versions = state.find_subject(subject);
        const SubjectVersion* found = versions == nullptr ? nullptr : find_version(*versions, version);
        return found == nullptr ? nullptr : found->schema;
      });
}

std::shared_ptr<const StoredSchema> SchemaRegistry::by_id(SchemaId id) {
  return find_or_catch_up([id](const RegistryState& state) { return state.find_id(id); });
}

std::optional<std::uint32_t> SchemaRegistry::version_of(std::string_view subject, SchemaId id) {
  return find_or_catch_up([subject, id](const RegistryState& state) -> std::optional<std::uint32_t> {
    const SubjectVersions* versions = state.find_subject(subject);
    if (versions == nullptr) return std::nullopt;
    for (auto version = versions->rbegin(); version != versions->rend(); ++version) {
      if (version->schema->id == id) return version->version;
    }
    return std::nullopt;
  });
}

RegistryCounts SchemaRegistry::counts() {
  const ReaderLock lock(state_mutex_);
  RegistryCounts counts{shared_->state.schema_count(), 0};
  for (const auto& [subject, versions] : shared_->state.subjects()) {
    if (newest_live(versions) != nullptr) ++counts.subjects;
  }
  return counts;
}

// --- Commands --------------------------------------------------------------------------------------------

Status SchemaRegistry::parse_ahead(const RegistryState& state, const std::vector<RegistryEvent>& events) {
  std::shared_ptr<const StoredSchema> parsed;
  for (const RegistryEvent& event : events) {
    if (!std::holds_alternative<SchemaRegistered>(event)) continue;
    CAIRN_TRY(const CheckedRegistryEvent checked, state.check(event));
    parsed = checked.schema;
  }
  const MutexLock lock(catch_up_mutex_);
  parsed_ahead_ = std::move(parsed);
  return {};
}

template <typename T, typename Decide>
RegistryResult<T> SchemaRegistry::execute(const RequestOrigin& origin, Decide decide) {
  const MutexLock command(command_mutex_);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    CAIRN_CHECK(catch_up());
    std::uint64_t version = 0;
    RegistryResult<Decision<T>> decision = [&]() -> RegistryResult<Decision<T>> {
      const View view(*this);
      version = view.state().event_count();
      CAIRN_TRY(Decision<T> decided, decide(view.state()));
      CAIRN_CHECK(parse_ahead(view.state(), decided.events));
      return decided;
    }();
    if (!decision) return std::move(decision).error();
    if (decision->events.empty()) return std::move(decision->answer);
    const auto appended = store_.append(append_of(decision->events, version, origin));
    if (appended) {
      const std::uint64_t last = version + decision->events.size();
      // invariant 2: the events stand directly behind the version that was decided on
      CAIRN_ASSERT(appended->streams.front().last_version.value == last,
                   appended->streams.front().last_version.value, last);
      CAIRN_CHECK(catch_up());
      CAIRN_ASSERT(changes() >= last, changes(), last);  // invariant 3
      return std::move(decision->answer);
    }
    if (appended.error().code != Errc::kVersionConflict) return appended.error();
  }
  return make_error(Errc::kOverloaded, "other registries keep changing the schemas; try again");
}

RegistryResult<SchemaId> SchemaRegistry::register_schema(const Registration& wanted, WorkBudget* budget,
                                                         const RequestOrigin& origin) {
  return execute<SchemaId>(
      origin, [&](const RegistryState& state) { return decide_register(state, wanted, budget); });
}

RegistryResult<std::uint32_t> SchemaRegistry::delete_version(const std::string& subject,
                                                             std::optional<std::uint32_t> version,
                                                             Permanent permanent,
                                                             const RequestOrigin& origin) {
  return execute<std::uint32_t>(origin, [&](const RegistryState& state) {
    return decide_delete_version(state, subject, version, permanent);
  });
}

RegistryResult<std::vector<std::uint32_t>> SchemaRegistry::delete_subject(const std::string& subject,
                                                                          Permanent permanent,
                                                                          const RequestOrigin& origin) {
  return execute<std::vector<std::uint32_t>>(
      origin, [&](const RegistryState& state) { return decide_delete_subject(state, subject, permanent); });
}

RegistryResult<RegistryConfig> SchemaRegistry::set_config(const SettingScope& scope,
                                                          const RegistryConfig& config,
                                                          const RequestOrigin& origin) {
  return execute<RegistryConfig>(
      origin, [&](const RegistryState& state) { return decide_set_config(state, scope, config); });
}

RegistryResult<RegistryConfig> SchemaRegistry::delete_config(const SettingScope& scope,
                                                             const RequestOrigin& origin) {
  return execute<RegistryConfig>(
      origin, [&](const RegistryState& state) { return decide_delete_config(state, scope); });
}

RegistryResult<RegistryMode> SchemaRegistry::set_mode(const SettingScope& scope, RegistryMode mode,
                                                      Force force, const RequestOrigin& origin) {
  return execute<RegistryMode>(
      origin, [&](const RegistryState& state) { return decide_set_mode(state, scope, mode, force); });
}

RegistryResult<RegistryMode> SchemaRegistry::delete_mode(const SettingScope& scope,
                                                         const RequestOrigin& origin) {
  return execute<RegistryMode>(origin,
                               [&](const RegistryState& state) { return decide_delete_mode(state, scope); });
}

}  // namespace cairn

#include "upcasters/deploy/half_withdrawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemaregistry/registry/registry_event.h"
#include "schemaregistry/registry/registry_queries.h"
#include "upcasters/definitions/upcaster_event.h"

namespace cairn {

namespace {

constexpr std::size_t kSearchedEvents = 1'000;

// Whether an event of the type is stored with the schema, which it got with the definition at `from`.
Result<bool> has_events(EventStore& store, const std::string& type, SchemaId schema, GlobalPosition from) {
  LogQuery query;
  query.limit = kSearchedEvents;
  query.filter.types = {type};
  for (std::optional<GlobalPosition> next = from; next;) {
    query.from = *next;
    CAIRN_TRY(const LogPage page, store.read_log(query));
    for (const EventView& event : page.events) {
      if (event.schema == schema) return true;
    }
    next = page.next;
  }
  return false;
}

// The version that was registered with a withdrawn upcaster, if it is still there and no other upcaster leads
// to it; nullptr otherwise, and when a client has registered it again since.
Result<const SubjectVersion*> half_withdrawn(EventStore& store, const TypeHistory& history,
                                             const Upcaster& upcaster) {
  const SubjectVersion* from = history.version(upcaster.header.from);
  const SubjectVersion* to = history.version(upcaster.header.to);
  if (from == nullptr || to == nullptr || to->schema->id != upcaster.to_schema) return nullptr;
  if (history.upcaster_from(*from) != nullptr) return nullptr;
  StreamQuery query;
  query.from = StreamVersion{to->registered_at};
  query.limit = 1;
  CAIRN_TRY(const StreamPage page, store.read_system_stream(kSchemaStream, query));
  const bool came_with_it = page.events.size() == 1 && page.events[0].position < upcaster.position;
  return came_with_it ? to : nullptr;
}

struct Repair {
  std::vector<RegistryEvent> schema_events;
  std::optional<UpcasterInstalled> definition;
  std::string what;
};

Result<Repair> decide_repair(EventStore& store, SchemaRegistry& registry, const Upcasters& upcasters,
                             const SubjectVersion& version, const Upcaster& upcaster) {
  const UpcasterHeader& header = upcaster.header;
  CAIRN_TRY(const bool used, has_events(store, header.type, upcaster.to_schema, upcaster.position));
  const auto referring = registry.read([&](const RegistryState& state) -> RegistryResult<bool> {
    return !referring_to(state, header.type, header.to, Deleted::kIncluded).empty();
  });
  Repair repair;
  if (!used && referring && !*referring) {
    if (!version.deleted) repair.schema_events.emplace_back(VersionDeleted{header.type, header.to});
    repair.schema_events.emplace_back(VersionPermanentlyDeleted{header.type, header.to});
    repair.what = "no event is stored with it, and it is removed";
    return repair;
  }
  if (version.deleted) {
    repair.schema_events.emplace_back(VersionPermanentlyDeleted{header.type, header.to});
    repair.schema_events.emplace_back(SchemaRegistered{header.type, header.to, version.schema->id,
                                                       version.schema->text, version.schema->references});
  }
  UpcasterInstalled again{upcaster, {}, 0};
  again.upcaster.revision = upcasters.revisions(header.type, header.from) + 1;
  repair.definition = std::move(again);
  repair.what = "events are stored with it, and its upcaster is back";
  return repair;
}

}  // namespace

Status repair_half_withdrawn(EventStore& store, SchemaRegistry& registry, Upcasters& upcasters,
                             HistorySource& history, const LogSink& on_log) {
  for (const auto& upcaster : upcasters.withdrawn_with_schema()) {
    const UpcasterHeader& header = upcaster->header;
    const std::uint64_t schemas_version = registry.changes();
    const std::uint64_t definitions_version = upcasters.stream_version();
    const TypeHistory versions = history.history(header.type);
    CAIRN_TRY(const SubjectVersion* const version, half_withdrawn(store, versions, *upcaster));
    if (version == nullptr) continue;
    CAIRN_TRY(const Repair repair, decide_repair(store, registry, upcasters, *version, *upcaster));
    StreamAppend schemas{std::string(kSchemaStream), ExpectedVersion::exactly(schemas_version), {}};
    for (const RegistryEvent& event : repair.schema_events) schemas.events.push_back(to_new_event(event));
    StreamAppend definitions{
        std::string(kDefinitionStream), ExpectedVersion::exactly(definitions_version), {}};
    if (repair.definition) definitions.events.push_back(to_new_event(*repair.definition));
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back(std::move(schemas));
    request.streams.push_back(std::move(definitions));
    const auto appended = store.append(std::move(request));
    LogEvent event =
        appended
            ? LogEvent(LogLevel::kWarning, "upcaster-repaired",
                       fmt::format("Version {} of {} was left without its upcaster by an earlier process: "
                                   "{}",
                                   header.to, header.type, repair.what))
            : LogEvent(LogLevel::kError, "upcaster-repair-failed",
                       fmt::format("Version {} of {} was left without its upcaster by an earlier process, "
                                   "and this could not be repaired: {}",
                                   header.to, header.type, appended.error().message));
    event.add("type", header.type);
    event.add("from", header.from);
    event.add("to", header.to);
    if (!appended) event.add("error", appended.error().message);
    log_to(on_log, event);
    CAIRN_CHECK(registry.catch_up());
    CAIRN_CHECK(upcasters.catch_up());
  }
  return {};
}

}  // namespace cairn

#include "schemaregistry/registry/registry_event.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <utility>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

// --- Writing ---------------------------------------------------------------------------------------------

class ObjectWriter {
 public:
  void text(std::string_view name, std::string_view value) {
    begin(name);
    append_json_string(json_, value);
  }
  void raw(std::string_view name, std::string_view json) {
    begin(name);
    json_ += json;
  }
  void number(std::string_view name, std::uint32_t value) { raw(name, std::to_string(value)); }
  std::string done() && { return std::move(json_) + "}"; }

 private:
  void begin(std::string_view name) {
    json_ += json_.size() > 1 ? ",\"" : "\"";
    json_ += name;
    json_ += "\":";
  }

  std::string json_ = "{";
};

std::string references_json(const std::vector<SchemaReference>& references) {
  std::string json = "[";
  for (const SchemaReference& reference : references) {
    ObjectWriter one;
    one.text("name", reference.name);
    one.text("subject", reference.subject);
    one.number("version", reference.version);
    json += (json.size() > 1 ? "," : "") + std::move(one).done();
  }
  return json + "]";
}

std::string numbers_json(const std::vector<std::uint32_t>& numbers) {
  std::string json = "[";
  for (const std::uint32_t number : numbers) json += (json.size() > 1 ? "," : "") + std::to_string(number);
  return json + "]";
}

// The type and the members of each event.
struct EventWriter {
  ObjectWriter& to;

  const char* operator()(const SchemaRegistered& event) const {
    to.text("subject", event.subject);
    to.number("version", event.version);
    to.number("id", event.id.value);
    to.text("schemaType", "AVRO");
    to.text("schema", event.text);
    if (!event.references.empty()) to.raw("references", references_json(event.references));
    return "SchemaRegistered";
  }
  const char* operator()(const VersionDeleted& event) const {
    to.text("subject", event.subject);
    to.number("version", event.version);
    return "VersionDeleted";
  }
  const char* operator()(const VersionPermanentlyDeleted& event) const {
    to.text("subject", event.subject);
    to.number("version", event.version);
    return "VersionPermanentlyDeleted";
  }
  const char* operator()(const SubjectDeleted& event) const {
    to.text("subject", event.subject);
    to.raw("versions", numbers_json(event.versions));
    return "SubjectDeleted";
  }
  const char* operator()(const SubjectPermanentlyDeleted& event) const {
    to.text("subject", event.subject);
    return "SubjectPermanentlyDeleted";
  }
  const char* operator()(const ConfigSet& event) const {
    scope(event.subject);
    if (event.config.compatibility) to.text("compatibility", to_string(*event.config.compatibility));
    if (event.config.normalize) to.raw("normalize", *event.config.normalize ? "true" : "false");
    return "ConfigSet";
  }
  const char* operator()(const ConfigDeleted& event) const {
    scope(event.subject);
    return "ConfigDeleted";
  }
  const char* operator()(const ModeSet& event) const {
    scope(event.subject);
    to.text("mode", to_string(event.mode));
    return "ModeSet";
  }
  const char* operator()(const ModeDeleted& event) const {
    scope(event.subject);
    return "ModeDeleted";
  }

  void scope(const std::optional<std::string>& subject) const {
    if (subject) to.text("subject", *subject);
  }
};

// --- Reading ---------------------------------------------------------------------------------------------

Error not_as_written(std::string_view what) {
  return make_error(Errc::kCorruption,
                    "an event of the schema registry has no usable '" + std::string(what) + "'");
}

// The members of a stored object. Unknown members are ignored.
class ObjectReader {
 public:
  static Result<ObjectReader> over(std::string_view json) {
    if (check_json(json)) return not_as_written("data");
    JsonCursor cursor(json);
    if (cursor.kind() != JsonKind::kObject) return not_as_written("data");
    ObjectReader reader;
    cursor.enter_object();
    while (auto name = cursor.next_name()) reader.members_.emplace(*std::move(name), cursor.take_raw());
    return reader;
  }

  // nullopt when there is none.
  std::optional<std::string_view> raw(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::optional<std::string>> optional_text(std::string_view name) const {
    const auto value = raw(name);
    if (!value) return std::optional<std::string>();
    JsonCursor cursor(*value);
    if (cursor.kind() != JsonKind::kString) return not_as_written(name);
    return std::optional(cursor.take_string());
  }
  Result<std::string> text(std::string_view name) const {
    CAIRN_TRY(std::optional<std::string> value, optional_text(name));
    if (!value) return not_as_written(name);
    return *std::move(value);
  }
  Result<std::uint32_t> number(std::string_view name) const {
    const auto value = json_whole_number(raw(name).value_or(""));
    if (!value || *value == 0 || *value > std::numeric_limits<std::int32_t>::max())
      return not_as_written(name);
    return static_cast<std::uint32_t>(*value);
  }

 private:
  std::map<std::string, std::string_view, std::less<>> members_;
};

Result<std::vector<SchemaReference>> read_references(const ObjectReader& object) {
  std::vector<SchemaReference> references;
  const auto json = object.raw("references");
  if (!json) return references;
  JsonCursor cursor(*json);
  if (cursor.kind() != JsonKind::kArray) return not_as_written("references");
  cursor.enter_array();
  while (cursor.next_element()) {
    CAIRN_TRY(const ObjectReader one, ObjectReader::over(cursor.take_raw()));
    SchemaReference reference;
    CAIRN_TRY(reference.name, one.text("name"));
    CAIRN_TRY(reference.subject, one.text("subject"));
    CAIRN_TRY(reference.version, one.number("version"));
    references.push_back(std::move(reference));
  }
  return references;
}

Result<RegistryEvent> read_registered(const ObjectReader& object) {
  SchemaRegistered event;
  CAIRN_TRY(event.subject, object.text("subject"));
  CAIRN_TRY(event.version, object.number("version"));
  CAIRN_TRY(event.id.value, object.number("id"));
  CAIRN_TRY(event.text, object.text("schema"));
  CAIRN_TRY(event.references, read_references(object));
  CAIRN_TRY(const std::string type, object.text("schemaType"));
  if (type != "AVRO") {
    return make_error(Errc::kFailedPrecondition,
                      fmt::format("the schema with id {} is of type {}, which this version does not know",
                                  event.id.value, type));
  }
  return RegistryEvent(std::move(event));
}

template <typename Event>
Result<RegistryEvent> read_version(const ObjectReader& object) {
  Event event;
  CAIRN_TRY(event.subject, object.text("subject"));
  CAIRN_TRY(event.version, object.number("version"));
  return RegistryEvent(std::move(event));
}

Result<RegistryEvent> read_subject_deleted(const ObjectReader& object) {
  SubjectDeleted event;
  CAIRN_TRY(event.subject, object.text("subject"));
  JsonCursor cursor(object.raw("versions").value_or("null"));
  if (cursor.kind() != JsonKind::kArray) return not_as_written("versions");
  cursor.enter_array();
  while (cursor.next_element()) {
    const auto number = json_whole_number(cursor.take_raw());
    if (!number || *number > std::numeric_limits<std::int32_t>::max()) return not_as_written("versions");
    event.versions.push_back(static_cast<std::uint32_t>(*number));
  }
  return RegistryEvent(std::move(event));
}

Result<RegistryEvent> read_subject_gone(const ObjectReader& object) {
  SubjectPermanentlyDeleted event;
  CAIRN_TRY(event.subject, object.text("subject"));
  return RegistryEvent(std::move(event));
}

Result<RegistryEvent> read_config(const ObjectReader& object) {
  ConfigSet event;
  CAIRN_TRY(event.subject, object.optional_text("subject"));
  CAIRN_TRY(const auto level, object.optional_text("compatibility"));
  if (level) {
    event.config.compatibility = parse_compatibility_level(*level);
    if (!event.config.compatibility) return not_as_written("compatibility");
  }
  if (const auto normalize = object.raw("normalize")) event.config.normalize = *normalize == "true";
  return RegistryEvent(std::move(event));
}

Result<RegistryEvent> read_mode(const ObjectReader& object) {
  ModeSet event;
  CAIRN_TRY(event.subject, object.optional_text("subject"));
  CAIRN_TRY(const std::string name, object.text("mode"));
  const auto mode = parse_registry_mode(name);
  if (!mode) return not_as_written("mode");
  event.mode = *mode;
  return RegistryEvent(std::move(event));
}

template <typename Event>
Result<RegistryEvent> read_scope(const ObjectReader& object) {
  Event event;
  CAIRN_TRY(event.subject, object.optional_text("subject"));
  return RegistryEvent(std::move(event));
}

using EventReader = Result<RegistryEvent> (*)(const ObjectReader&);

constexpr std::pair<std::string_view, EventReader> kReaders[] = {
    {"SchemaRegistered", read_registered},
    {"VersionDeleted", read_version<VersionDeleted>},
    {"VersionPermanentlyDeleted", read_version<VersionPermanentlyDeleted>},
    {"SubjectDeleted", read_subject_deleted},
    {"SubjectPermanentlyDeleted", read_subject_gone},
    {"ConfigSet", read_config},
    {"ConfigDeleted", read_scope<ConfigDeleted>},
    {"ModeSet", read_mode},
    {"ModeDeleted", read_scope<ModeDeleted>},
};

}  // namespace

NewEvent to_new_event(const RegistryEvent& event) {
  NewEvent stored;
  ObjectWriter object;
  stored.type = std::visit(EventWriter{object}, event);
  stored.data = std::move(object).done();
  return stored;
}

Result<RegistryEvent> read_registry_event(std::string_view type, std::string_view data) {
  for (const auto& [known, read] : kReaders) {
    if (known != type) continue;
    CAIRN_TRY(const ObjectReader object, ObjectReader::over(data));
    return read(object);
  }
  return make_error(Errc::kFailedPrecondition,
                    "the schema registry has an event of type '" + std::string(type) +
                        "', which this version does not know: a newer version has written here");
}

}  // namespace cairn

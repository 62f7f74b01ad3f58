#include "api/registry/registry_json.h"

namespace cairn::api {

namespace {

void write_references(JsonWriter& json, const std::vector<SchemaReference>& references) {
  if (references.empty()) return;
  json.begin_array("references");
  for (const SchemaReference& reference : references) {
    json.begin_object();
    json.text("name", reference.name);
    json.text("subject", reference.subject);
    json.number("version", reference.version);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string to_json(const FoundVersion& version) {
  return json_object([&](JsonWriter& json) {
    json.text("subject", version.subject);
    json.number("version", version.version);
    json.number("id", version.schema->id.value);
    write_references(json, version.schema->references);
    json.text("schema", version.schema->text);
  });
}

std::string to_json(const StoredSchema& schema, const std::optional<FoundVersion>& version,
                    std::optional<SchemaId> id_max) {
  return json_object([&](JsonWriter& json) {
    if (version) {
      json.text("subject", version->subject);
      json.number("version", version->version);
    }
    write_references(json, schema.references);
    json.text("schema", schema.text);
    if (id_max) json.number("maxId", id_max->value);
  });
}

std::string to_json(const RegistryConfig& config, std::string_view level_name) {
  return json_object([&](JsonWriter& json) {
    if (config.normalize) json.flag("normalize", *config.normalize);
    if (config.compatibility) json.plain_text(level_name, to_string(*config.compatibility));
  });
}

std::string to_json(RegistryMode mode) {
  return json_object([&](JsonWriter& json) { json.plain_text("mode", to_string(mode)); });
}

std::string list_json(const std::vector<std::string>& texts, const Window& window) {
  return list_json(texts, window, [](JsonWriter& json, const std::string& text) { json.text(text); });
}

std::string list_json(const std::vector<std::uint32_t>& numbers, const Window& window) {
  return list_json(numbers, window, [](JsonWriter& json, std::uint32_t number) { json.number(number); });
}

}  // namespace cairn::api

#include "api/registry/registry_json.h"

#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

void append_references(std::string& json, const std::vector<SchemaReference>& references) {
  if (references.empty()) return;
  json += R"("references":)";
  json += list_json(references, {}, [](std::string& to, const SchemaReference& reference) {
    to += R"({"name":)";
    append_json_string(to, reference.name);
    to += R"(,"subject":)";
    append_json_string(to, reference.subject);
    to += R"(,"version":)" + std::to_string(reference.version) + "}";
  });
  json += ',';
}

}  // namespace

std::string to_json(const FoundVersion& version) {
  std::string json = R"({"subject":)";
  append_json_string(json, version.subject);
  json += R"(,"version":)" + std::to_string(version.version);
  json += R"(,"id":)" + std::to_string(version.schema->id.value) + ",";
  append_references(json, version.schema->references);
  json += R"("schema":)";
  append_json_string(json, version.schema->text);
  return json + "}";
}

std::string to_json(const StoredSchema& schema, const std::optional<FoundVersion>& version,
                    std::optional<SchemaId> id_max) {
  std::string json = "{";
  if (version) {
    json += R"("subject":)";
    append_json_string(json, version->subject);
    json += R"(,"version":)" + std::to_string(version->version) + ",";
  }
  append_references(json, schema.references);
  json += R"("schema":)";
  append_json_string(json, schema.text);
  if (id_max) json += R"(,"maxId":)" + std::to_string(id_max->value);
  return json + "}";
}

std::string to_json(const RegistryConfig& config, std::string_view level_name) {
  std::string json = "{";
  if (config.normalize) json += std::string(R"("normalize":)") + (*config.normalize ? "true" : "false");
  if (config.normalize && config.compatibility) json += ',';
  if (config.compatibility) {
    append_json_string(json, level_name);
    json += ":\"" + std::string(to_string(*config.compatibility)) + "\"";
  }
  return json + "}";
}

std::string to_json(RegistryMode mode) { return R"({"mode":")" + std::string(to_string(mode)) + R"("})"; }

std::string list_json(const std::vector<std::string>& texts, const Window& window) {
  return list_json(texts, window,
                   [](std::string& to, const std::string& text) { append_json_string(to, text); });
}

std::string list_json(const std::vector<std::uint32_t>& numbers, const Window& window) {
  return list_json(numbers, window,
                   [](std::string& to, std::uint32_t number) { to += std::to_string(number); });
}

}  // namespace cairn::api

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/registry/registry_request.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/registry/registry_queries.h"

namespace cairn::api {

// Answers of the registry. They have only the members that the oldest clients know, because some of these
// clients fail on any other member: no schemaType (absent means AVRO) and no empty lists of references.

// {"subject":"Order","version":1,"id":1,"schema":"…"}
std::string to_json(const FoundVersion& version);

// {"schema":"…"}, with "subject" and "version" if `version` is given, and with "maxId" if `id_max` is.
std::string to_json(const StoredSchema& schema, const std::optional<FoundVersion>& version,
                    std::optional<SchemaId> id_max);

// {"compatibilityLevel":"FULL"}; answers to changes name the member "compatibility".
std::string to_json(const RegistryConfig& config, std::string_view level_name = "compatibilityLevel");

// {"mode":"READWRITE"}
std::string to_json(RegistryMode mode);

// The items of a list in the window; `write(json, item)` writes each of them.
template <typename Item, typename Write>
std::string list_json(const std::vector<Item>& items, const Window& window, Write write) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (std::size_t i = window.offset; i < items.size(); ++i) {
    if (window.limit > 0 && i - window.offset == window.limit) break;
    write(json, items[i]);
  }
  json.end_array();
  return text;
}

std::string list_json(const std::vector<std::string>& texts, const Window& window = {});
std::string list_json(const std::vector<std::uint32_t>& numbers, const Window& window = {});

}  // namespace cairn::api

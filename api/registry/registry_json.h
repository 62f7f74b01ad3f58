#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/registry/registry_request.h"
#include "schemaregistry/registry/registry_queries.h"

namespace cairn::api {

// Answers of the registry. They hold just the members that the oldest clients know, because some of those
// fail on any other: no schemaType (absent means AVRO) and no empty lists of references.

// {"subject":"Order","version":1,"id":1,"schema":"…"}
std::string to_json(const FoundVersion& version);

// {"schema":"…"}, with subject and version where the client asked about a subject, and the highest id where
// it asked for that.
std::string to_json(const StoredSchema& schema, const std::optional<FoundVersion>& version,
                    std::optional<SchemaId> id_max);

// {"compatibilityLevel":"FULL"}; answers to changes call it "compatibility".
std::string to_json(const RegistryConfig& config, std::string_view level_name = "compatibilityLevel");

// {"mode":"READWRITE"}
std::string to_json(RegistryMode mode);

// The wanted part of a list, each element as `element(json, item)` appends it.
template <typename Item, typename Element>
std::string list_json(const std::vector<Item>& items, const Window& window, Element element) {
  std::string json = "[";
  for (std::size_t i = window.offset; i < items.size(); ++i) {
    if (window.limit > 0 && i - window.offset == window.limit) break;
    if (json.size() > 1) json += ',';
    element(json, items[i]);
  }
  return json + "]";
}

std::string list_json(const std::vector<std::string>& texts, const Window& window = {});
std::string list_json(const std::vector<std::uint32_t>& numbers, const Window& window = {});

}  // namespace cairn::api

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

// How many schemas one may refer to, directly and through others, and through how many others. People write a
// handful; what walks a schema recurses through all of them.
inline constexpr std::size_t kReferencesMax = 1'000;
inline constexpr std::size_t kReferenceDepthMax = 32;

// Reads a schema together with what it refers to, which is found depth first; where two references have the
// same name the first counts. Fails as parse_schema() does. REQUIRES: `referenced` has what `references`
// stand for, in the same order.
Result<Schema> parse_with_references(std::string_view text, std::span<const SchemaReference> references,
                                     std::span<const std::shared_ptr<const StoredSchema>> referenced);

}  // namespace cairn

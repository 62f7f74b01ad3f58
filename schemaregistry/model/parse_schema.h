#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// What one schema may be. The longest schemas people write by hand or generate have some ten thousand bytes.
inline constexpr std::size_t kSchemaBytesMax = 1u << 20;  // the text, and all texts it refers to
inline constexpr std::size_t kSchemaDepthMax = 100;       // brackets within brackets
inline constexpr std::size_t kSchemaSpelledOutDepthMax =
    300;                                                 // the same, with all types it refers to written out
inline constexpr std::size_t kSchemaNodesMax = 100'000;  // types
inline constexpr std::size_t kSchemaReferencesMax = 1'000;  // schemas it refers to, all of them
inline constexpr std::uint32_t kFixedSizeMax = 16u << 20;   // more does not fit an event

// Reads an Avro schema and checks all of it: names, defaults, unions, doubled definitions. `references` are
// the texts that define types this one only names, each behind those it needs itself.
//
// Fails with kInvalidArgument, or kTooLarge, and a message that says where ("/fields/2/type: …"), what was
// found and what was wanted. Takes bounded time and memory whatever the text is.
Result<Schema> parse_schema(std::string_view text, std::span<const std::string_view> references = {});

}  // namespace cairn

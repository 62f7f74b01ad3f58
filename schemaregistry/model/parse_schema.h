#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// The limits of one schema. The largest schemas in practice have some ten thousand bytes.
inline constexpr std::size_t kSchemaBytesMax = 1u << 20;       // of the text and all texts it refers to
inline constexpr std::size_t kSchemaDepthMax = 100;            // nested brackets
inline constexpr std::size_t kSchemaSpelledOutDepthMax = 300;  // the same, with referenced types written out
inline constexpr std::size_t kSchemaNodesMax = 100'000;        // types
inline constexpr std::size_t kSchemaReferencesMax = 1'000;     // schemas it refers to, directly or not
inline constexpr std::size_t kSchemaNameBytesMax = 64u << 20;  // names and aliases of types, each in full
inline constexpr std::uint32_t kFixedSizeMax = 16u << 20;      // more does not fit an event

// The text of schemas that is scanned, printed or compared in about one step of a WorkBudget.
inline constexpr std::size_t kSchemaBytesPerStep = 64;

// Parses an Avro schema and validates all of it: names, defaults, unions, duplicate definitions. `references`
// are the texts that define types this one only names, each after those that it needs itself.
//
// Fails with kInvalidArgument, or kTooLarge, and a message with the place ("/fields/2/type: …"), what was
// found and what was expected. Takes bounded time and memory whatever the text is. The work is charged to
// `budget`, unless that is nullptr; when it ends, fails as WorkBudget::error() says.
Result<Schema> parse_schema(std::string_view text, std::span<const std::string_view> references = {},
                            WorkBudget* budget = nullptr);

}  // namespace cairn

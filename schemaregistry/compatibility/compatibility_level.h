#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// The compatibility that a subject requires of a new version. Backward: the new version reads data of earlier
// ones. Forward: earlier versions read data of the new one. Full: both. Without "transitive" only the newest
// version is compared.
enum class CompatibilityLevel : std::uint8_t {
  kNone,
  kBackward,
  kBackwardTransitive,
  kForward,
  kForwardTransitive,
  kFull,
  kFullTransitive,
};

// "BACKWARD_TRANSITIVE", …
std::string_view to_string(CompatibilityLevel level);

// The level of that name, in upper or lower case; nullopt for every other text.
std::optional<CompatibilityLevel> parse_compatibility_level(std::string_view name);

// A version that is not deleted.
struct LiveVersion {
  int version = 0;
  const Schema* schema = nullptr;
  std::string_view text;
};

// The length of an old schema's text in a message.
inline constexpr std::size_t kOldSchemaBytesMax = 10 * 1024;

// Why `candidate` may not become the next version, in the words of Confluent's registry: one message for each
// difference from the first incompatible version, then that version, its text, and the level. Empty when it
// may.
std::vector<std::string> check_level(CompatibilityLevel level, const Schema& candidate,
                                     std::span<const LiveVersion> newest_first);

// The same, charged to `budget`. When that ends, fails as WorkBudget::error() says, with the number of versions
// that were compared.
Result<std::vector<std::string>> check_level(CompatibilityLevel level, const Schema& candidate,
                                             std::span<const LiveVersion> newest_first, WorkBudget& budget);

}  // namespace cairn

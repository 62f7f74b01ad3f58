#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

// One reason why a schema is refused.
struct CompatibilityReason {
  std::string kind;  // "TYPE_MISMATCH", or "" where only a text is known
  std::string path;  // in the schema: "/fields/2/type", or ""
  std::string text;

  friend bool operator==(const CompatibilityReason&, const CompatibilityReason&) = default;
};

// The messages of a registry, parsed: Cairn's, Confluent's, or a compatible one's.
struct CompatibilityReport {
  std::vector<CompatibilityReason> reasons;
  std::optional<int> old_version;  // the version it does not go with
  std::string level;               // "" = not said
};

// Parses messages. A message of unknown form becomes a reason with its text; the text of the old schema is
// left out.
CompatibilityReport parse_compatibility_messages(const std::vector<std::string>& messages);

// "/fields/2  TYPE_MISMATCH: The type …"
std::string reason_text(const CompatibilityReason& reason);

}  // namespace cairn::cli

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

// What the messages of a registry say: those of ours, of Confluent's, and of others that imitate it.
struct CompatibilityReport {
  std::vector<CompatibilityReason> reasons;
  std::optional<int> old_version;  // the version it does not go with
  std::string level;               // "" = not said
};

// Takes messages apart. One that is not understood becomes a reason as it is; the old schema's text is left
// out.
CompatibilityReport parse_compatibility_messages(const std::vector<std::string>& messages);

// "/fields/2  TYPE_MISMATCH: The type …"
std::string reason_text(const CompatibilityReason& reason);

}  // namespace cairn::cli

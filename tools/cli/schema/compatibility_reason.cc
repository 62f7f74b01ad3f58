#include "tools/cli/schema/compatibility_reason.h"

#include <charconv>
#include <string_view>

namespace cairn::cli {

namespace {

// The text after `name:` up to the same quote, which is not escaped, before `end`. Old registries quote with
// ", new ones with '.
std::string quoted_after(std::string_view message, std::string_view name, std::string_view end) {
  const std::size_t found = message.find(name);
  if (found == std::string_view::npos) return "";
  std::size_t begin = found + name.size();
  while (begin < message.size() && message[begin] == ' ') ++begin;
  if (begin >= message.size() || (message[begin] != '\'' && message[begin] != '"')) return "";
  const std::string closing = message[begin] + std::string(end);
  const std::size_t close = message.find(closing, begin + 1);
  return close == std::string_view::npos ? "" : std::string(message.substr(begin + 1, close - begin - 1));
}

CompatibilityReason parse_reason(const std::string& message) {
  CompatibilityReason reason;
  reason.kind = quoted_after(message, "errorType:", ",");
  reason.text = quoted_after(message, "description:", ", additionalInfo:");
  if (reason.text.empty()) reason.text = quoted_after(message, "description:", "}");
  if (reason.kind.empty() || reason.text.empty()) return {.kind = "", .path = "", .text = message};
  reason.path = quoted_after(reason.text, "path ", "");
  // The types that did not match are named only after the description.
  const std::string detail = quoted_after(message, "additionalInfo:", "}");
  if (!detail.empty() && reason.text.find(detail) == std::string::npos) reason.text += " (" + detail + ")";
  return reason;
}

std::optional<int> number_after(std::string_view message, std::string_view name) {
  const std::size_t found = message.find(name);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = message.substr(found + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" '\""), rest.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

CompatibilityReport parse_compatibility_messages(const std::vector<std::string>& messages) {
  CompatibilityReport report;
  for (const std::string& message : messages) {
    if (message.starts_with("{oldSchemaVersion:")) {
      report.old_version = number_after(message, "oldSchemaVersion:");
    } else if (message.starts_with("{oldSchema:")) {
      continue;
    } else if (message.starts_with("{validateFields:") || message.starts_with("{compatibility:")) {
      report.level = quoted_after(message, "compatibility:", "}");
    } else {
      report.reasons.push_back(parse_reason(message));
    }
  }
  return report;
}

std::string reason_text(const CompatibilityReason& reason) {
  std::string text = reason.path;
  if (!reason.kind.empty()) text += (text.empty() ? "" : "  ") + reason.kind;
  return text.empty() ? reason.text : text + ": " + reason.text;
}

}  // namespace cairn::cli

#include "schemaregistry/compatibility/compatibility_level.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/compatibility/confluent_message.h"

namespace cairn {
namespace {

using enum CompatibilityLevel;

constexpr std::array kLevels{kNone, kBackward,      kBackwardTransitive, kForward, kForwardTransitive,
                             kFull, kFullTransitive};

bool asks_backward(CompatibilityLevel level) {
  return level == kBackward || level == kBackwardTransitive || level == kFull || level == kFullTransitive;
}

bool asks_forward(CompatibilityLevel level) {
  return level == kForward || level == kForwardTransitive || level == kFull || level == kFullTransitive;
}

bool is_transitive(CompatibilityLevel level) {
  return level == kBackwardTransitive || level == kForwardTransitive || level == kFullTransitive;
}

// False when the budget has ended.
bool append_messages(std::vector<std::string>& messages, const Schema& reader, const Schema& writer,
                     CompatibilityDirection direction, WorkBudget& budget) {
  const auto findings = find_incompatibilities(reader, writer, budget);
  if (!findings) return false;
  for (const Incompatibility& finding : *findings) {
    messages.push_back(confluent_message(finding, direction));
  }
  return true;
}

std::string old_schema_message(std::string_view text) {
  if (text.size() <= kOldSchemaBytesMax) return "{oldSchema: '" + std::string(text) + "'}";
  std::size_t end = kOldSchemaBytesMax;
  const auto is_inside_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  while (end > 0 && is_inside_character(text[end])) --end;
  return "{oldSchema: <truncated to " + std::to_string(kOldSchemaBytesMax) + " characters> '" +
         std::string(text.substr(0, end)) + "'}";
}

}  // namespace

std::string_view to_string(CompatibilityLevel level) {
  switch (level) {
    case kNone:
      return "NONE";
    case kBackward:
      return "BACKWARD";
    case kBackwardTransitive:
      return "BACKWARD_TRANSITIVE";
    case kForward:
      return "FORWARD";
    case kForwardTransitive:
      return "FORWARD_TRANSITIVE";
    case kFull:
      return "FULL";
    case kFullTransitive:
      return "FULL_TRANSITIVE";
  }
  return "UNKNOWN";
}

std::optional<CompatibilityLevel> parse_compatibility_level(std::string_view name) {
  const auto same_letter = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  for (const CompatibilityLevel level : kLevels) {
    const std::string_view known = to_string(level);
    if (std::equal(name.begin(), name.end(), known.begin(), known.end(), same_letter)) return level;
  }
  return std::nullopt;
}

std::vector<std::string> check_level(CompatibilityLevel level, const Schema& candidate,
                                     std::span<const LiveVersion> newest_first) {
  WorkBudget unlimited;
  return *check_level(level, candidate, newest_first, unlimited);
}

Result<std::vector<std::string>> check_level(CompatibilityLevel level, const Schema& candidate,
                                             std::span<const LiveVersion> newest_first, WorkBudget& budget) {
  if (level == kNone) return std::vector<std::string>();
  if (!is_transitive(level)) newest_first = newest_first.first(std::min<std::size_t>(newest_first.size(), 1));
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < newest_first.size(); ++i) {
    const LiveVersion& old = newest_first[i];
    // Forward first, as Confluent's registry orders them.
    const bool compared =
        (!asks_forward(level) ||
         append_messages(messages, *old.schema, candidate, CompatibilityDirection::kForward, budget)) &&
        (!asks_backward(level) ||
         append_messages(messages, candidate, *old.schema, CompatibilityDirection::kBackward, budget));
    if (!compared) {
      return budget.error("the schema was compared with " + std::to_string(i) + " of " +
                          std::to_string(newest_first.size()) + " versions");
    }
    if (messages.empty()) continue;
    messages.push_back("{oldSchemaVersion: " + std::to_string(old.version) + "}");
    messages.push_back(old_schema_message(old.text));
    messages.push_back("{validateFields: 'false', compatibility: '" + std::string(to_string(level)) + "'}");
    break;
  }
  return messages;
}

}  // namespace cairn

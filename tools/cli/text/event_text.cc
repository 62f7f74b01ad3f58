#include "tools/cli/text/event_text.h"

#include <charconv>
#include <cstdint>

#include "eventstore/json/json_text.h"

namespace cairn::cli {

void append_event(std::string& to, const EventText& event) {
  to += "{\"id\":";
  append_json_string(to, event.id);
  to += ",\"type\":";
  append_json_string(to, event.type);
  to += ",\"data\":" + event.data;
  if (!event.metadata.empty()) to += ",\"metadata\":" + event.metadata;
  if (!event.tags.empty()) to += ",\"tags\":" + event.tags;
  to += '}';
}

std::string tags_json(const std::vector<std::string>& tags) {
  if (tags.empty()) return "";
  std::string json = "[";
  for (const std::string& tag : tags) {
    if (json.size() > 1) json += ',';
    append_json_string(json, tag);
  }
  return json + "]";
}

std::string expectation_json(std::string_view text) {
  if (text == "any" || text == "exists") return "\"" + std::string(text) + "\"";
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return "";
  return std::to_string(version);
}

std::string check_expectation(const std::string& text) {
  return expectation_json(text).empty() ? "must be a version, 'any' or 'exists'" : "";
}

}  // namespace cairn::cli

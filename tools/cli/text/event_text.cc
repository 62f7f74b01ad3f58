#include "tools/cli/text/event_text.h"

#include <charconv>
#include <cstdint>

#include "eventstore/json/json_writer.h"

namespace cairn::cli {

void append_event(std::string& to, const EventText& event) {
  JsonWriter json(to);
  json.begin_object();
  json.text("id", event.id);
  json.text("type", event.type);
  json.raw("data", event.data);
  if (!event.content_type.empty()) json.text("contentType", event.content_type);
  if (!event.metadata.empty()) json.raw("metadata", event.metadata);
  if (!event.tags.empty()) json.raw("tags", event.tags);
  if (event.schema_version != 0) json.number("schemaVersion", event.schema_version);
  json.end_object();
}

std::string tags_json(const std::vector<std::string>& tags) {
  if (tags.empty()) return "";
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const std::string& tag : tags) json.text(tag);
  json.end_array();
  return text;
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

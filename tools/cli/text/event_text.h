#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::cli {

// An event in a request. JSON is kept as text, so that numbers keep their digits.
struct EventText {
  std::string id;
  std::string type;
  std::string data;                  // JSON
  std::string metadata;              // JSON, or "" for none
  std::string tags;                  // JSON, or "" for none
  std::uint32_t schema_version = 0;  // 0 = the newest
  std::string content_type = {};     // not empty: `data` is a JSON string of base64
};

// Appends the event as a JSON object.
void append_event(std::string& to, const EventText& event);

// ["a","b"], or "" for no tags.
std::string tags_json(const std::vector<std::string>& tags);

// The value of --expect (a number, "any" or "exists") as JSON. "" when the text is not valid.
std::string expectation_json(std::string_view text);

// Checks the value of --expect for CLI::Validator: returns the error message, or "" when it is valid.
std::string check_expectation(const std::string& text);

}  // namespace cairn::cli

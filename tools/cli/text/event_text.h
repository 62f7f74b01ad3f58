#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::cli {

// An event as a request carries it. What is JSON stays the text it was, so that numbers keep their digits.
struct EventText {
  std::string id;
  std::string type;
  std::string data;      // JSON
  std::string metadata;  // JSON, or "" for none
  std::string tags;      // JSON, or "" for none
};

// Appends the event as a JSON object.
void append_event(std::string& to, const EventText& event);

// ["a","b"], or "" for no tags.
std::string tags_json(const std::vector<std::string>& tags);

// What --expect takes: a number, "any" or "exists"; as a JSON value. "" when the text is none of them.
std::string expectation_json(std::string_view text);

// What speaks against such a text, for the parser to show; "" for nothing.
std::string check_expectation(const std::string& text);

}  // namespace cairn::cli

#include "eventstore/trace_parent.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kTextBytes = 55;
constexpr std::string_view kBefore = "\"traceparent\":\"";
constexpr std::string_view kBehind = "\"}";

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

bool is_trace_parent(std::string_view text) {
  return text.size() == kTextBytes && text.starts_with("00-") && is_id(text.substr(3, 32)) &&
         text[35] == '-' && is_id(text.substr(36, 16)) && text[52] == '-' && is_hex(text.substr(53));
}

// A quote inside of a JSON string is escaped, so text that ends like this has a member of the outer object
// there, and no part of a string or of another object.
std::string_view members_before_trace_parent(std::string_view metadata) {
  if (metadata.size() < 2) return {};
  const std::string_view members = metadata.substr(1, metadata.size() - 2);
  constexpr std::size_t kBytes = kBefore.size() + kTextBytes + kBehind.size();
  if (metadata.size() <= kBytes || !metadata.ends_with(kBehind)) return members;
  const std::size_t last = metadata.size() - kBytes;
  const bool is_one = metadata.substr(last).starts_with(kBefore) &&
                      is_trace_parent(metadata.substr(last + kBefore.size(), kTextBytes));
  if (is_one && last == 1) return {};
  return is_one && metadata[last - 1] == ',' ? metadata.substr(1, last - 2) : members;
}

}  // namespace cairn

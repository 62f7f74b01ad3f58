#include "tools/cli/aggregate/state_diff.h"

#include <algorithm>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string step(const std::string& name) {
  std::string escaped = "/";
  for (const char c : name) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// 1 and 1.0 differ, and so do -1 and 2^64 - 1, which nlohmann's comparison treats as equal.
bool is_same(const Json& one, const Json& other) {
  if (one.type() == other.type()) return one == other;
  return one.is_number_integer() && other.is_number_integer() && one.dump() == other.dump();
}

void compare(const std::string& path, const Json& before, const Json& after, std::vector<StateChange>& to) {
  if (before.is_object() && after.is_object()) {
    for (const auto& [name, value] : before.items()) {
      const auto found = after.find(name);
      if (found == after.end()) {
        to.push_back({path + step(name), value, std::nullopt});
      } else {
        compare(path + step(name), value, *found, to);
      }
    }
    for (const auto& [name, value] : after.items()) {
      if (!before.contains(name)) to.push_back({path + step(name), std::nullopt, value});
    }
    return;
  }
  if (before.is_array() && after.is_array()) {
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      const std::string place = path + "/" + std::to_string(i);
      if (i >= after.size()) {
        to.push_back({place, before[i], std::nullopt});
      } else if (i >= before.size()) {
        to.push_back({place, std::nullopt, after[i]});
      } else {
        compare(place, before[i], after[i], to);
      }
    }
    return;
  }
  if (!is_same(before, after)) to.push_back({path, before, after});
}

}  // namespace

std::vector<StateChange> state_diff(const Json& before, const Json& after) {
  std::vector<StateChange> changes;
  compare("", before, after, changes);
  return changes;
}

std::string pointer_of(const std::string& field) {
  return field.empty() || field.front() == '/' ? field : step(field);
}

std::optional<Json> value_at(const Json& state, const std::string& pointer) {
  try {
    const Json::json_pointer path(pointer);
    if (!state.contains(path)) return std::nullopt;
    return state.at(path);
  } catch (const Json::exception&) {  // Not a JSON pointer, or an index into a non-array.
    return std::nullopt;
  }
}

std::string value_text(const std::optional<Json>& value, std::size_t width) {
  return value ? shortened(dumped(*value), width) : "-";
}

}  // namespace cairn::cli

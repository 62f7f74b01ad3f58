#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

// One place where two states differ.
struct StateChange {
  std::string path;                              // a JSON pointer; "" = the whole state
  std::optional<nlohmann::ordered_json> before;  // nullopt = it was not there
  std::optional<nlohmann::ordered_json> after;   // nullopt = it is gone
};

// Where `after` differs from `before`: members of objects by their names, elements of lists by their places.
// What is there only once is one change, whatever is in it.
std::vector<StateChange> state_diff(const nlohmann::ordered_json& before,
                                    const nlohmann::ordered_json& after);

// `pointer` as it leads into a state; a name that begins with no slash is a member of the state itself.
std::string pointer_of(const std::string& field);

// What the pointer leads to; nullopt when there is nothing.
std::optional<nlohmann::ordered_json> value_at(const nlohmann::ordered_json& state,
                                               const std::string& pointer);

// A value in a table: JSON, at most `width` wide; "-" when there is none.
std::string value_text(const std::optional<nlohmann::ordered_json>& value, std::size_t width);

}  // namespace cairn::cli

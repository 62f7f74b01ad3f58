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
  std::optional<nlohmann::ordered_json> before;  // nullopt = it did not exist
  std::optional<nlohmann::ordered_json> after;   // nullopt = it was removed
};

// The differences between two states: members of objects by name, elements of arrays by index. A value that
// exists in one of them only is one change, whatever it contains.
std::vector<StateChange> state_diff(const nlohmann::ordered_json& before,
                                    const nlohmann::ordered_json& after);

// `pointer` as a JSON pointer; a name without a leading slash is a member of the state itself.
std::string pointer_of(const std::string& field);

// The value at the pointer; nullopt when there is none.
std::optional<nlohmann::ordered_json> value_at(const nlohmann::ordered_json& state,
                                               const std::string& pointer);

// A value in a table: JSON, at most `width` wide; "-" when there is none.
std::string value_text(const std::optional<nlohmann::ordered_json>& value, std::size_t width);

}  // namespace cairn::cli

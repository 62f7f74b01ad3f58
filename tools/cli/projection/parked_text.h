#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// What could not be applied, as people read it. Everything is JSON as the server sent it.

// A table of keys that are parked.
std::string parked_table(const nlohmann::json& keys);

// All about one key: what failed, and which events wait behind it.
std::string parked_key_text(const nlohmann::json& answer);

}  // namespace cairn::cli

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// RFC 4648, with padding.
void append_base64(std::string& to, std::string_view bytes);

// nullopt for anything but what append_base64() makes.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace cairn

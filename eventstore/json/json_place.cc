#include "eventstore/json/json_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace cairn {

std::string json_place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 in the first line: npos + 1
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::string_view line = before.substr(line_begin);
  const auto characters = std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not one that continues a character
  });
  return fmt::format("line {}, column {}", lines + 1, characters + 1);
}

}  // namespace cairn

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// Where a byte of a text stands, as editors count: "line 3, column 5". Columns count characters of UTF-8; lines
// end with a line feed. `offset` may be the size of the text: its end.
std::string json_place(std::string_view text, std::size_t offset);

}  // namespace cairn

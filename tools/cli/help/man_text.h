#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

// `text` escaped for roff, as part of a line: characters with a meaning in roff, or with a typographic
// replacement, are printed literally; characters outside ASCII become numeric escapes, for viewers without
// UTF-8.
std::string man_escaped(std::string_view text);

// A help text in paragraphs: indented lines are kept, other lines are filled.
std::string man_paragraphs(std::string_view text);

}  // namespace cairn::cli

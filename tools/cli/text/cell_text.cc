#include "tools/cli/text/cell_text.h"

#include <algorithm>

namespace cairn::cli {

namespace {

constexpr std::size_t kGap = 2;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return true;
  // U+0080 to U+009F: control characters for some terminals.
  return byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string on_one_line(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_control(text, i)) {
      clean += text[i];
      continue;
    }
    clean += '?';
    if (static_cast<unsigned char>(text[i]) == 0xC2) ++i;
  }
  return clean;
}

std::string shortened(std::string_view text, std::size_t width) {
  // A long text is cut first: a character has at most four bytes, and the rest is not shown.
  const bool is_long = text.size() > 4 * width + 4;
  std::string line = on_one_line(is_long ? text.substr(0, 4 * width + 4) : text);
  if (text_width(line) <= width) return line;
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t characters = 0; end < line.size(); ++end) {
    if (begins_character(line[end]) && characters++ == width - 1) break;
  }
  return line.substr(0, end) + "…";
}

std::string cell(std::string_view text, std::size_t width) {
  std::string line = shortened(text, width);
  const std::size_t used = text_width(line);
  if (used < width) line.append(width - used, ' ');
  return line;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, const PaintCell& paint) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text_width(on_one_line(row[i])));
  }
  std::string text;
  for (std::size_t line = 0; line < rows.size(); ++line) {
    const auto& row = rows[line];
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      const std::string shown = last ? on_one_line(row[i]) : cell(row[i], widths[i] + kGap);
      text += paint ? paint(line, i, shown) : shown;
    }
    text += '\n';
  }
  return text;
}

}  // namespace cairn::cli

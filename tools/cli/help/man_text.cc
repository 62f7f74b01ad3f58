#include "tools/cli/help/man_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace cairn::cli {

namespace {

// The length in bytes and the code point of the first character. Bytes that are not UTF-8 are taken one by
// one.
struct ManLetter {
  std::size_t bytes = 1;
  std::uint32_t number = 0;
};

ManLetter first_man_letter(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  std::size_t bytes = 1;
  if (byte(0) >= 0xF0) {
    bytes = 4;
  } else if (byte(0) >= 0xE0) {
    bytes = 3;
  } else if (byte(0) >= 0xC0) {
    bytes = 2;
  }
  if (bytes == 1 || bytes > text.size()) return {1, byte(0)};
  std::uint32_t number = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) number = number << 6 | (byte(i) & 0x3FU);
  return {bytes, number};
}

constexpr std::uint32_t kEllipsis = 0x2026;

std::string_view spelled_in_man(char c) {
  switch (c) {
    case '\\':
      return "\\(rs";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '"':
      return "\\(dq";
    default:
      return {};
  }
}

}  // namespace

std::string man_escaped(std::string_view text) {
  std::string escaped;
  // A full stop at the beginning of a line would start a roff request.
  if (text.starts_with('.')) escaped = "\\&";
  while (!text.empty()) {
    const ManLetter letter = first_man_letter(text);
    if (letter.number == kEllipsis) {
      escaped += "...";  // `man` in the locale C cannot print the character
    } else if (letter.number >= 0x80) {
      std::array<char, 16> number{};
      std::snprintf(number.data(), number.size(), "\\[u%04X]", letter.number);
      escaped += number.data();
    } else if (const std::string_view name = spelled_in_man(text.front()); !name.empty()) {
      escaped += name;
    } else {
      escaped += text.front();
    }
    text.remove_prefix(letter.bytes);
  }
  return escaped;
}

std::string man_paragraphs(std::string_view text) {
  std::string page;
  bool as_it_is = false;  // inside lines that are kept
  bool begins = true;     // the next line is the first of a paragraph
  const auto end_of_block = [&] {
    if (as_it_is) page += ".EE\n.RE\n";
    as_it_is = false;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      end_of_block();
      begins = true;
      continue;
    }
    if (line.starts_with("  ")) {
      if (!as_it_is) page += begins ? ".PP\n.RS 4\n.EX\n" : ".RS 4\n.EX\n";
      as_it_is = true;
      page += man_escaped(line.substr(2)) + "\n";
    } else {
      begins = begins || as_it_is;
      end_of_block();
      if (begins) page += ".PP\n";
      page += man_escaped(line) + "\n";
    }
    begins = false;
  }
  end_of_block();
  return page;
}

}  // namespace cairn::cli

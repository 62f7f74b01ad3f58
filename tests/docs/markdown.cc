#include "tests/docs/markdown.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace cairn::test {

namespace {

constexpr std::string_view kForTests = "<!-- samples:";

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// As GitHub makes it: `PUT /upcasters/{type}` is put-upcasterstype. The second of a name gets -1.
std::string anchor_of(std::string_view heading, const std::vector<std::string>& taken) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  // An ellipsis and its kin are no letters.
  for (const std::string_view mark : {"…", "–", "—", "→", "≥"}) {
    for (std::size_t at; (at = anchor.find(mark)) != std::string::npos;) anchor.erase(at, mark.size());
  }
  std::string name = anchor;
  for (int i = 1; std::find(taken.begin(), taken.end(), name) != taken.end(); ++i) {
    name = anchor + "-" + std::to_string(i);
  }
  return name;
}

// Reads line by line; the text between blank lines is scanned as one paragraph.
class MarkdownReader {
 public:
  explicit MarkdownReader(std::string_view text) : lines_(std::string(text)) {}

  Markdown read() {
    while (next()) {
      const std::string mark = fence_of(line_);
      if (!mark.empty()) {
        end_paragraph();
        read_fence(mark);
      } else if (line_.starts_with(kForTests)) {
        end_paragraph();
        read_comment();
      } else if (trimmed(line_).empty()) {
        end_paragraph();
        after_blank_ = true;
        continue;
      } else if (is_code()) {
        if (!in_code_) document_.indented.push_back({line_, number_});
        in_code_ = true;
        continue;
      } else {
        read_prose();
      }
      after_blank_ = false;
      in_code_ = false;
    }
    end_paragraph();
    return std::move(document_);
  }

 private:
  bool next() {
    if (!std::getline(lines_, line_)) return false;
    ++number_;
    return true;
  }

  static std::string fence_of(std::string_view line) {
    const std::string_view rest = line.substr(indentation(line));
    for (const char c : {'`', '~'}) {
      const std::size_t length = std::min(rest.find_first_not_of(c), rest.size());
      if (length >= 3) return std::string(length, c);
    }
    return "";
  }

  void read_fence(const std::string& mark) {
    const std::size_t indent = indentation(line_);
    Block block{.info = trimmed(line_.substr(indent + mark.size())), .line = number_, .heading = headings_};
    while (next() && trimmed(line_) != mark) {
      block.text += line_.substr(std::min(indent, indentation(line_))) + "\n";
    }
    document_.blocks.push_back(std::move(block));
  }

  void read_comment() {
    const int first = number_;
    std::string text = line_.substr(kForTests.size());
    while (text.find("-->") == std::string::npos && next()) text += "\n" + line_;
    text = text.substr(0, text.find("-->"));
    const std::string says = trimmed(text.substr(0, text.find('\n')));
    if (says.starts_with("serve")) {
      document_.server_arguments = trimmed(says.substr(5));
    } else if (says == "no server") {
      document_.has_server = false;
    } else if (says == "setup" && text.find('\n') != std::string::npos) {
      document_.blocks.push_back({.info = "bash",
                                  .text = text.substr(text.find('\n') + 1),
                                  .line = first,
                                  .hidden = true,
                                  .heading = headings_});
    } else {
      document_.unknown.push_back({says, first});
    }
  }

  // Four spaces are code after a blank line, but in a list they continue the item.
  bool is_code() const { return indentation(line_) >= 4 && !in_list_ && (after_blank_ || in_code_); }

  void read_prose() {
    static const std::regex kPoint(R"(^ *([-*+]|\d+\.) .*)");
    static const std::regex kHeading(R"(^(#{1,6}) +(.*?)( +#+)? *$)");
    std::smatch heading;
    if (std::regex_match(line_, kPoint)) {
      in_list_ = true;
    } else if (after_blank_ && indentation(line_) == 0) {
      in_list_ = false;
    }
    if (paragraph_.empty()) paragraph_line_ = number_;
    paragraph_ += line_ + "\n";
    if (std::regex_match(line_, heading, kHeading)) {
      ++headings_;
      in_list_ = false;
      static const std::regex kLink(R"(\[([^\]]*)\]\([^)]*\))");
      document_.anchors.push_back(
          anchor_of(std::regex_replace(heading[2].str(), kLink, "$1"), document_.anchors));
      end_paragraph();
    }
  }

  int line_at(std::size_t offset) const {
    return paragraph_line_ + static_cast<int>(std::count(
                                 paragraph_.begin(), paragraph_.begin() + static_cast<long>(offset), '\n'));
  }

  // Takes the code out of the paragraph and then the links.
  void end_paragraph() {
    for (std::size_t at = 0; (at = paragraph_.find('`', at)) != std::string::npos;) {
      const std::size_t size = std::min(paragraph_.find_first_not_of('`', at), paragraph_.size()) - at;
      const std::string mark(size, '`');
      std::size_t end = at + size;
      while ((end = paragraph_.find(mark, end)) != std::string::npos) {
        const std::size_t run = std::min(paragraph_.find_first_not_of('`', end), paragraph_.size()) - end;
        if (run == size) break;
        end += run;
      }
      if (end == std::string::npos) {
        at += size;
        continue;
      }
      std::string code = paragraph_.substr(at + size, end - at - size);
      document_.code_spans.push_back({code, line_at(at)});
      for (std::size_t i = at; i < end + size; ++i) {
        if (paragraph_[i] != '\n') paragraph_[i] = ' ';
      }
      at = end + size;
    }
    static const std::regex kLink(R"(\]\(([^)\s]+)(?:\s+"[^"]*")?\)|(?:^|\n)\[[^\]^][^\]]*\]:\s*(\S+))");
    for (std::sregex_iterator it(paragraph_.begin(), paragraph_.end(), kLink), end; it != end; ++it) {
      const std::size_t at = static_cast<std::size_t>(it->position(0));
      document_.links.push_back({(*it)[1].matched ? (*it)[1].str() : (*it)[2].str(), line_at(at)});
    }
    paragraph_.clear();
  }

  std::istringstream lines_;
  std::string line_;
  int number_ = 0;
  Markdown document_;
  int headings_ = 0;
  bool after_blank_ = true;
  bool in_list_ = false;
  bool in_code_ = false;
  std::string paragraph_;
  int paragraph_line_ = 0;
};

}  // namespace

Markdown Markdown::read(std::string_view text) { return MarkdownReader(text).read(); }

}  // namespace cairn::test

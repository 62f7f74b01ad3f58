#include "tools/cli/help/help_format.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <vector>

#include "tools/cli/help/option_text.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

// The column of the descriptions.
constexpr std::size_t kDescriptionColumn = 28;

// The indentation of a remark that does not fit beside its example.
constexpr std::size_t kRemarkColumn = 6;

std::string joined_words(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// `text` wrapped at `width`. The first line begins at column `at`, the others at `indent`.
std::string broken_text(const std::string& text, std::size_t at, std::size_t indent, std::size_t width) {
  std::string lines;
  std::istringstream words(text);
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    const std::size_t size = text_width(word);
    if (!is_first && at + 1 + size > width) {
      lines += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!is_first) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += size;
  }
  return lines + "\n";
}

// A name with its description beside it, or below it when the name is long.
std::string described_line(const std::string& name, const std::string& meaning, std::size_t width) {
  std::string line = "  " + name;
  if (line.size() + 2 > kDescriptionColumn) line += "\n";
  const std::size_t at = line.ends_with('\n') ? 0 : line.size();
  line += std::string(kDescriptionColumn - at, ' ');
  return line + broken_text(meaning, kDescriptionColumn, kDescriptionColumn, width);
}

// An example with a remark: "  cairn read order-42       see what happened".
std::string example_line(const std::string& line, std::size_t width) {
  if (text_width(line) <= width) return line + "\n";
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", begin);
  const std::size_t remark = line.find_first_not_of(' ', gap);
  if (gap == std::string::npos || remark == std::string::npos) return line + "\n";
  return line.substr(0, gap) + "\n" + std::string(kRemarkColumn, ' ') +
         broken_text(line.substr(remark), kRemarkColumn, kRemarkColumn, width);
}

// The lines of a paragraph; joined and wrapped again if one of them is too long.
std::string paragraph_text(const std::vector<std::string>& lines, std::size_t width) {
  const bool fits = std::all_of(lines.begin(), lines.end(),
                                [&](const std::string& line) { return text_width(line) <= width; });
  if (!fits) return broken_text(joined_words(lines, " "), 0, 0, width);
  return lines.empty() ? "" : joined_words(lines, "\n") + "\n";
}

std::string footer_text(const std::string& footer, std::size_t width) {
  std::string text;
  std::vector<std::string> paragraph;
  const auto end_paragraph = [&] { text += paragraph_text(std::exchange(paragraph, {}), width); };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph.push_back(line);
      continue;
    }
    end_paragraph();
    text += line.empty() ? "\n" : example_line(line, width);
  }
  end_paragraph();
  return text;
}

class HelpFormat final : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width) : width_(width) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const override {
    std::string text = broken_text(app->get_description(), 0, 0, width_);
    text += "\n" + broken_text("Usage: " + usage_of(*app, name), 0, 4, width_);
    text += options_text("Arguments", *app, [](const CLI::Option& o) { return o.get_positional(); });
    for (const std::string& group : app->get_groups()) {
      if (group.empty()) continue;  // Hidden options.
      text += options_text(group, *app, [&](const CLI::Option& option) {
        return option.nonpositional() && option.get_group() == group;
      });
    }
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) text += "\nCommands:\n";
    for (const CLI::App* command : commands) {
      text += described_line(command->get_name(), command->get_description(), width_);
    }
    return text + footer_text(app->get_footer(), width_);
  }

 private:
  template <typename Belongs>
  std::string options_text(const std::string& heading, const CLI::App& app, const Belongs& belongs) const {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
      if (belongs(*option)) {
        text += described_line(option_title(*option), option_meaning(*option), width_);
      }
    }
    return text.empty() ? "" : "\n" + heading + ":\n" + text;
  }

  const std::size_t width_;
};

}  // namespace

std::size_t help_width(int descriptor) {
  return std::clamp(terminal_width(descriptor), kHelpWidthMin, kHelpWidthMax);
}

void set_help_format(CLI::App& app, std::size_t width) { app.formatter(std::make_shared<HelpFormat>(width)); }

std::string help_text(const CLI::App& command, const std::string& path) {
  return command.get_formatter()->make_help(&command, path, CLI::AppFormatMode::Normal);
}

}  // namespace cairn::cli

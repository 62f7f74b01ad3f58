#include "tests/docs/sample_commands.h"

#include <regex>
#include <sstream>
#include <utility>

namespace cairn::test {

namespace {

// What stands behind the # in the last line of a command, outside of quotes; "" when there is none. The text
// of a here-document follows no rules, so of a command that has one only the first line is looked at.
std::string comment_of(const std::string& command) {
  const bool has_text = command.find("<<") != std::string::npos;
  char quote = ' ';
  std::size_t begin = std::string::npos;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\n') {
      if (has_text || i + 1 == command.size()) break;
      begin = std::string::npos;
    } else if (begin != std::string::npos) {
      continue;
    } else if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != ' ') {
      if (c == quote) quote = ' ';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#' && (i == 0 || command[i - 1] == ' ')) {
      begin = i + 1;
    }
  }
  if (begin == std::string::npos) return "";
  const std::size_t first = command.find_first_not_of(' ', begin);
  const std::size_t end = command.find('\n', begin);
  return first < end ? command.substr(first, end - first) : "";
}

}  // namespace

SampleCommands commands_in(const Block& block, const std::function<bool(const std::string&)>& is_whole) {
  static const std::regex kBlank(R"(\s*(#.*)?)");
  static const std::regex kExit(R"(exit code (\d+))");
  SampleCommands found;
  SampleCommand command;
  std::istringstream lines(block.text);
  int number = block.line;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (command.text.empty()) {
      if (std::regex_match(line, kBlank)) continue;
      command.line = number;
    }
    command.text += line + "\n";
    if (!is_whole(command.text)) continue;
    std::smatch code;
    command.comment = comment_of(command.text);
    if (std::regex_search(command.comment, code, kExit)) command.exit_code = std::stoi(code[1]);
    found.commands.push_back(std::exchange(command, {}));
  }
  if (!command.text.empty()) found.unfinished = std::move(command);
  return found;
}

}  // namespace cairn::test

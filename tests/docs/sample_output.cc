#include "tests/docs/sample_output.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <regex>
#include <sstream>
#include <vector>

namespace cairn::test {

namespace {

using nlohmann::json;

constexpr std::string_view kEllipsis = "…";

std::string without_spaces(std::string_view text) {
  std::string rest;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') rest += c;
  }
  return rest;
}

// Replaces times, and UUIDs that are not in the commands, by a word for their kind.
std::string by_kind(std::string_view text, std::string_view given) {
  static const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))");
  static const std::regex kUuid(R"([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})");
  const std::string timeless = std::regex_replace(std::string(text), kTime, "(a time)");
  std::string result;
  std::size_t end = 0;
  for (std::sregex_iterator it(timeless.begin(), timeless.end(), kUuid), last; it != last; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    result += timeless.substr(end, at - end);
    result += given.find(it->str()) == std::string_view::npos ? "(a UUID)" : it->str();
    end = at + static_cast<std::size_t>(it->length());
  }
  return result + timeless.substr(end);
}

// Turns the shown text into JSON: an ellipsis outside of strings becomes a string, or a member.
std::string whole_json(std::string_view shown) {
  std::string result;
  std::vector<char> open;
  bool in_string = false;
  char before = ' ';  // the last character that is no space
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (in_string) {
      if (c == '\\' && i + 1 < shown.size()) {
        result += c;
        result += shown[++i];
        continue;
      }
      if (c == '"') in_string = false;
    } else if (shown.substr(i).starts_with(kEllipsis)) {
      const bool is_member = !open.empty() && open.back() == '{' && before != ':';
      result += is_member ? R"("…":"…")" : R"("…")";
      i += kEllipsis.size() - 1;
      before = '"';
      continue;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open.push_back(c);
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    }
    result += c;
    if (c != ' ' && c != '\n') before = c;
  }
  return result;
}

// The JSON values of a text; nullopt when it is not JSON.
std::optional<std::vector<json>> values_in(const std::string& text) {
  std::vector<json> values;
  std::istringstream stream(text);
  while ((stream >> std::ws) && stream.peek() != std::istringstream::traits_type::eof()) {
    try {
      values.emplace_back();
      stream >> values.back();
    } catch (const json::exception&) {
      return std::nullopt;
    }
  }
  return values;
}

std::string differs(const std::string& where, const std::string& shown, const std::string& printed) {
  return "at " + (where.empty() ? "the top" : where) + " the document shows " + shown +
         " and the command gives " + printed;
}

std::string value_difference(const json& shown, const json& printed, std::string_view given,
                             const std::string& where);

std::string object_difference(const json& shown, const json& printed, std::string_view given,
                              const std::string& where) {
  const bool others = shown.contains(kEllipsis);
  for (const auto& [name, value] : shown.items()) {
    if (name == kEllipsis) continue;
    if (!printed.contains(name)) return differs(where + "/" + name, value.dump(), "nothing");
    std::string difference = value_difference(value, printed[name], given, where + "/" + name);
    if (!difference.empty()) return difference;
  }
  for (const auto& [name, value] : printed.items()) {
    if (!others && !shown.contains(name)) return differs(where + "/" + name, "nothing", value.dump());
  }
  return "";
}

std::string array_difference(const json& shown, const json& printed, std::string_view given,
                             const std::string& where) {
  const bool others = !shown.empty() && shown.back() == kEllipsis;
  const std::size_t size = shown.size() - (others ? 1 : 0);
  if (others ? printed.size() < size : printed.size() != size) {
    return differs(where, std::to_string(size) + " elements", std::to_string(printed.size()));
  }
  for (std::size_t i = 0; i < size; ++i) {
    std::string difference = value_difference(shown[i], printed[i], given, where + "/" + std::to_string(i));
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string value_difference(const json& shown, const json& printed, std::string_view given,
                             const std::string& where) {
  if (shown == kEllipsis) return "";
  if (shown.is_object() && printed.is_object()) return object_difference(shown, printed, given, where);
  if (shown.is_array() && printed.is_array()) return array_difference(shown, printed, given, where);
  if (shown.is_string() && printed.is_string() &&
      matches(by_kind(shown.get<std::string>(), given), by_kind(printed.get<std::string>(), given))) {
    return "";
  }
  return shown == printed ? "" : differs(where, shown.dump(), printed.dump());
}

// Its lines with single spaces, without those at the end of a line and empty lines at the end of the text.
std::vector<std::string> plain_lines(std::string_view text) {
  static const std::regex kSpaces("  +");
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    line = std::regex_replace(line, kSpaces, " ");
    line.erase(line.find_last_not_of(" \r") + 1);
    lines.push_back(std::move(line));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t at = pattern.find(kEllipsis);
  if (at == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, at))) return false;
  text.remove_prefix(at);
  pattern.remove_prefix(at + kEllipsis.size());
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (matches(pattern, text.substr(i))) return true;
  }
  return false;
}

std::string json_difference(std::string_view shown, std::string_view printed, std::string_view given) {
  const auto wanted = values_in(whole_json(shown));
  if (!wanted) return "what the document shows is no JSON";
  const auto values = values_in(std::string(printed));
  if (!values) return "what the command prints is no JSON";
  if (wanted->size() != values->size()) {
    return "the document shows " + std::to_string(wanted->size()) + " values and the commands give " +
           std::to_string(values->size());
  }
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    std::string difference = value_difference((*wanted)[i], (*values)[i], given, "");
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string text_difference(std::string_view shown, std::string_view printed, std::string_view given) {
  const std::vector<std::string> wanted = plain_lines(by_kind(shown, given));
  const std::vector<std::string> lines = plain_lines(by_kind(printed, given));
  std::size_t next = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == kEllipsis) {
      if (i + 1 == wanted.size()) return "";
      while (next < lines.size() && !matches(wanted[i + 1], lines[next])) ++next;
      continue;
    }
    if (next == lines.size())
      return "the document shows the line \"" + wanted[i] + "\" and the command ends before";
    if (!matches(wanted[i], lines[next])) {
      return "the document shows the line \"" + wanted[i] + "\" and the command prints \"" + lines[next] +
             "\"";
    }
    ++next;
  }
  return next == lines.size() ? "" : "the command goes on with the line \"" + lines[next] + "\"";
}

bool is_part_of(std::string_view shown, std::string_view printed) {
  const std::string ellipsis(kEllipsis);
  return matches(ellipsis + without_spaces(shown) + ellipsis, without_spaces(printed));
}

}  // namespace cairn::test

#include "tools/cli/config/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "eventstore/base/file.h"

namespace cairn::cli {

namespace {

// A string or a number as text; nullopt for everything else.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

std::string type_text_of(const toml::node& node) {
  if (node.is_boolean()) return "a boolean";
  if (node.is_string()) return "a string";
  if (node.is_number()) return "a number";
  if (node.is_array()) return "an array";
  return node.is_table() ? "a table" : "a date or time";
}

FileEntry entry_of(const toml::key& key, const toml::node& node) {
  FileEntry entry;
  entry.key = std::string(key.str());
  entry.line = key.source().begin.line;
  entry.type_text = type_text_of(node);
  if (const auto* flag = node.as_boolean()) {
    entry.type = TomlType::kBoolean;
    entry.values = {flag->get() ? "true" : "false"};
  } else if (auto text = scalar_text(node)) {
    entry.type = node.is_string() ? TomlType::kString : TomlType::kNumber;
    entry.values = {*std::move(text)};
  } else if (const auto* array = node.as_array()) {
    entry.type = TomlType::kArray;
    for (const toml::node& item : *array) {
      if (auto item_text = scalar_text(item)) {
        entry.values.push_back(*std::move(item_text));
        continue;
      }
      entry.type = TomlType::kOther;
      entry.type_text = "an array with " + type_text_of(item);
    }
    if (entry.type == TomlType::kOther) entry.values.clear();
  }
  return entry;
}

}  // namespace

Result<std::vector<FileEntry>> read_config_file(const std::filesystem::path& file) {
  std::error_code unknown;  // The size of a pipe.
  if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size > kConfigFileBytesMax) {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("{}: has {} bytes; a configuration file may have {}", file.string(), size,
                                  kConfigFileBytesMax));
  }
  CAIRN_TRY(const std::string text, read_file(file, kConfigFileBytesMax));
  try {
    const toml::table table = toml::parse(text);
    std::vector<FileEntry> entries;
    for (const auto& [key, node] : table) entries.push_back(entry_of(key, node));
    std::stable_sort(entries.begin(), entries.end(),
                     [](const FileEntry& a, const FileEntry& b) { return a.line < b.line; });
    return entries;
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return make_error(Errc::kInvalidArgument,
                      fmt::format("{}:{}:{}: {}", file.string(), at.line, at.column, error.description()));
  }
}

}  // namespace cairn::cli

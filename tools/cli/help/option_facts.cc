#include "tools/cli/help/option_facts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace cairn::cli {

// CLI11 gives the type of an option followed by its checks: "FORMAT:{text,json}", "UINT:INT in [1 - 256]",
// "N:POSITIVE". A type may itself contain a colon: "HOST:PORT".

std::string option_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  std::string name = option.get_name(true, false);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  std::string name = option.get_type_name();
  if (const std::size_t range = name.find(" in ["); range != std::string::npos) {
    name.resize(name.rfind(':', range));
  }
  for (const char* const check : {":{", ":POSITIVE", ":NONNEGATIVE"}) name = name.substr(0, name.find(check));
  if (name == "INT" || name == "UINT") return "N";
  return name == "FLOAT" ? "NUMBER" : name;
}

std::vector<std::string> option_choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

}  // namespace cairn::cli

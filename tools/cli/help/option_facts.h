#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace cairn::cli {

// The name of an option ("--from"), or of a positional argument ("STREAM").
std::string option_name(const CLI::Option& option);

// The placeholder of its value in help: "FILE". "" when it takes no value.
std::string value_name(const CLI::Option& option);

// The accepted values of an option with a fixed set; otherwise empty.
std::vector<std::string> option_choices(const CLI::Option& option);

// Whether it can be given several times.
bool is_repeatable(const CLI::Option& option);

}  // namespace cairn::cli

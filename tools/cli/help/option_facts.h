#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace cairn::cli {

// What people call an option ("--from"), or an argument without a name ("STREAM").
std::string option_name(const CLI::Option& option);

// What stands for its value in help: "FILE". "" when it takes none.
std::string value_name(const CLI::Option& option);

// The values it takes, when only these are taken.
std::vector<std::string> option_choices(const CLI::Option& option);

// Whether it can be given several times.
bool is_repeatable(const CLI::Option& option);

}  // namespace cairn::cli

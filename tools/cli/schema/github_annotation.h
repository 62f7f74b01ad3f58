#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::cli {

// A line that GitHub Actions takes from the output of a step as a command, with its line end:
// "::error file=a.avsc,line=1,title=Order is invalid::…". Whatever the texts are, it stays this one command.
std::string github_annotation(std::string_view command,
                              const std::vector<std::pair<std::string, std::string>>& properties,
                              std::string_view message);

}  // namespace cairn::cli

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::cli {

// A workflow command of GitHub Actions, with its line end:
// "::error file=a.avsc,line=1,title=Order is invalid::…". The texts are escaped, so that they cannot begin
// another command.
std::string github_annotation(std::string_view command,
                              const std::vector<std::pair<std::string, std::string>>& properties,
                              std::string_view message);

}  // namespace cairn::cli

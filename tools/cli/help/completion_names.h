#pragma once

#include <string>
#include <string_view>

namespace CLI {
class Option;
}

namespace cairn::cli {

// Which names of the server complete the value of an option or argument: "stream", "projection", "subject",
// "category" or "tag"; "" for none.
std::string completed_names(const CLI::Option& option, std::string_view command);

// The first word of the hidden command that the scripts of `cairn completion` call:
//
//   cairn __complete KIND [PREFIX]
inline constexpr std::string_view kCompleteNames = "__complete";

// Prints up to 100 names of a kind, one per line: those that begin with `prefix`, where the server can tell.
// Names with control characters are left out, because a shell would take them for several. The server is that of
// CAIRN_URL. Whatever fails, and a server that takes longer than a second, give no names and no message.
int print_names(std::string_view kind, const std::string& prefix);

}  // namespace cairn::cli

#include "tools/cli/server/json_argument.h"

#include <iostream>
#include <iterator>

#include "eventstore/base/file.h"
#include "eventstore/json/json_check.h"

namespace cairn::cli {

Result<std::string> json_argument(const std::string& option, const std::string& argument) {
  std::string text = argument;
  if (argument == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else if (argument.starts_with('@')) {
    auto content = read_file(argument.substr(1));
    if (!content) return make_error(Errc::kInvalidArgument, option + ": " + content.error().message);
    text = *std::move(content);
  }
  if (const auto fault = check_json(text)) {
    return make_error(Errc::kInvalidArgument, option + " is not JSON: " + fault->message + ", at byte " +
                                                  std::to_string(fault->offset));
  }
  return text;
}

}  // namespace cairn::cli

#include "tools/cli/text/text_argument.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "eventstore/base/file.h"
#include "eventstore/json/json_check.h"

namespace cairn::cli {
namespace {

// A server takes no larger body.
constexpr std::size_t kArgumentBytesMax = 16u << 20;

}  // namespace

Result<std::string> bytes_argument(const std::string& option, const std::string& argument) {
  if (argument == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (!argument.starts_with('@')) return argument;
  auto content = read_file(argument.substr(1), kArgumentBytesMax);
  if (!content) return make_error(Errc::kInvalidArgument, option + ": " + content.error().message);
  return *std::move(content);
}

Result<std::string> json_argument(const std::string& option, const std::string& argument) {
  CAIRN_TRY(const std::string text, bytes_argument(option, argument));
  if (const auto fault = check_json(text)) {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("{} is not JSON: {}, at byte {}", option, fault->message, fault->offset));
  }
  return text;
}

}  // namespace cairn::cli

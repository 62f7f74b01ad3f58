#include "tools/cli/server/secret_variable.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "api/access/token_file.h"
#include "eventstore/base/file.h"

namespace cairn::cli {

namespace {

// "" when it is not set.
std::string variable_text(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string without_line_end(std::string text) {
  text.erase(text.find_last_not_of("\r\n ") + 1);
  return text;
}

}  // namespace

Result<std::string> secret_in(const std::string& file, const std::string& place) {
  auto text = read_file(file);
  if (!text) return make_error(Errc::kInvalidArgument, place + ": " + text.error().message);
  std::string secret = without_line_end(*std::move(text));
  if (secret.empty()) return make_error(Errc::kInvalidArgument, place + ": " + file + " is empty");
  if (api::is_open_to_others(file)) {
    std::cerr << "cairn: warning: " << place << ": " << file
              << " can be read by other users; chmod 600 restricts it to its owner.\n";
  }
  return secret;
}

Result<std::optional<SecretVariable>> secret_variable(const std::string& name) {
  const std::string file_variable = name + "_FILE";
  const std::string text = variable_text(name);
  const std::string file = variable_text(file_variable);
  if (!text.empty() && !file.empty()) {
    return make_error(Errc::kInvalidArgument,
                      name + " and " + file_variable + " are both set; only one of them can count");
  }
  if (!text.empty()) return std::optional<SecretVariable>({name, without_line_end(text)});
  if (file.empty()) return std::optional<SecretVariable>();
  CAIRN_TRY(std::string secret, secret_in(file, file_variable));
  return std::optional<SecretVariable>({file_variable, std::move(secret)});
}

}  // namespace cairn::cli

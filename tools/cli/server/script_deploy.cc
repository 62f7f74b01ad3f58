#include "tools/cli/server/script_deploy.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kFingerprintShown = 8;

}  // namespace

int report_script_error(const ScriptError& error, bool json) {
  std::cerr << "cairn: " << on_one_line(error.text()) << '\n';
  if (json) {
    std::cout << dumped(nlohmann::ordered_json{{"type", "/problems/script-error"},
                                               {"title", "The script cannot be used"},
                                               {"status", 422},
                                               {"detail", error.text()},
                                               {"file", error.file},
                                               {"line", error.line},
                                               {"message", error.message}})
              << '\n';
  }
  return kExitNo;
}

std::string deployed_line(const std::string& name, const std::string& answer) {
  const auto result = nlohmann::json::parse(answer, nullptr, false);
  return on_one_line(fmt::format("{}: {} as revision {} (fingerprint {}…)", name,
                                 is_true(result, "unchanged") ? "already deployed" : "deployed",
                                 number_member(result, "revision"),
                                 text_member(result, "fingerprint").substr(0, kFingerprintShown)));
}

}  // namespace cairn::cli

#include "tools/cli/upcaster/installed_upcaster.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/client/server_url.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

Error refused(std::string message) { return make_error(Errc::kFailedPrecondition, std::move(message)); }

Result<InstalledUpcasters> upcasters_in(const api::Answer& answer) {
  if (!answer.ok()) return refused(refusal_text(answer));
  const ordered_json body = ordered_json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.contains("upcasters") || !body["upcasters"].is_array()) {
    return refused("the answer is not a Cairn server's: " + refusal_text(answer));
  }
  InstalledUpcasters installed{.upcasters = {}, .json = answer.body};
  for (const ordered_json& entry : body["upcasters"]) {
    installed.upcasters.push_back({.type = text_member(entry, "type"),
                                   .from = number_member(entry, "from"),
                                   .to = number_member(entry, "to"),
                                   .revision = number_member(entry, "revision"),
                                   .fingerprint = text_member(entry, "fingerprint"),
                                   .installed_at = text_member(entry, "installedAt"),
                                   .source = text_member(entry, "source"),
                                   .json = dumped(entry)});
  }
  return installed;
}

}  // namespace

Result<InstalledUpcasters> installed_upcasters(api::Client& client) {
  CAIRN_TRY(const api::Answer answer, client.get("/upcasters"));
  return upcasters_in(answer);
}

Result<std::optional<InstalledUpcasters>> installed_upcasters(api::Client& client, const std::string& type) {
  CAIRN_TRY(const api::Answer answer, client.get("/upcasters/" + api::percent_encoded(type)));
  if (problem_slug(answer) == "not-found") return std::optional<InstalledUpcasters>();
  CAIRN_TRY(InstalledUpcasters installed, upcasters_in(answer));
  for (InstalledUpcaster& upcaster : installed.upcasters) {
    if (upcaster.type.empty()) upcaster.type = type;
  }
  return std::optional(std::move(installed));
}

Result<std::optional<InstalledUpcaster>> find_installed(api::Client& client, const UpcasterHeader& header,
                                                        const std::string& source) {
  CAIRN_TRY(auto installed, installed_upcasters(client, header.type));
  const std::string fingerprint = fingerprint_of(header, source);
  if (!installed) return std::optional<InstalledUpcaster>();
  for (InstalledUpcaster& upcaster : installed->upcasters) {
    if (upcaster.from == header.from && upcaster.fingerprint == fingerprint) {
      return std::optional(std::move(upcaster));
    }
  }
  return std::optional<InstalledUpcaster>();
}

}  // namespace cairn::cli

#include "tools/cli/doctor/server_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eventstore/base/time_text.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

constexpr double kSecondsOfDay = 24 * 3600;
constexpr double kCertificateDaysMin = 14;
// Expressions on the times of events, and tokens of other systems, depend on equal clocks.
constexpr double kClockSecondsMax = 2;
constexpr double kClockSecondsFailed = 60;
constexpr double kAnswerSecondsMax = 1;

Check check_reachable(const ServerFacts& facts) {
  const std::string text =
      fmt::format("/ready answered {} in {:.0f} ms", facts.ready, facts.answer_seconds * 1'000);
  if (facts.ready == 503)
    return {"ready", CheckVerdict::kFailed,
            text + ": the store is being recovered, or the server is busy; try again"};
  if (facts.ready != 200)
    return {"ready", CheckVerdict::kFailed, text + ": is it a server of Cairn, and the token right?"};
  if (facts.answer_seconds > kAnswerSecondsMax) return {"ready", CheckVerdict::kWarning, text};
  return {"ready", CheckVerdict::kOk, text};
}

Check check_certificate(Timestamp ends, Timestamp now) {
  const double days = static_cast<double>(ends.micros - now.micros) / 1e6 / kSecondsOfDay;
  if (days < 0)
    return {"certificate", CheckVerdict::kFailed,
            fmt::format("ended {:.0f} days ago: replace it, then reload", -days)};
  const std::string text = "valid for " + counted(static_cast<std::uint64_t>(days), "day");
  if (days < kCertificateDaysMin)
    return {"certificate", CheckVerdict::kWarning,
            text + ": replace it, then reload (systemctl reload cairn)"};
  return {"certificate", CheckVerdict::kOk, text};
}

Check check_server_clock(Timestamp server, const ServerFacts& facts) {
  const double ahead = static_cast<double>(server.micros - facts.asked_at.micros) / 1e6;
  // The server looked at its clock at some moment of the request.
  const double apart = std::max(std::abs(ahead) - facts.answer_seconds / 2, 0.0);
  const std::string text = fmt::format("{} {} the clock of this machine", duration_text(std::abs(ahead)),
                                       ahead < 0 ? "behind" : "ahead of");
  if (apart > kClockSecondsFailed) return {"clock", CheckVerdict::kFailed, text + ": set one of them"};
  if (apart > kClockSecondsMax)
    return {"clock", CheckVerdict::kWarning, text + ": run a time service on both"};
  return {"clock", CheckVerdict::kOk, text};
}

Check check_server_version(const ServerFacts& facts) {
  const std::string text = "cairn " + facts.server_version;
  if (facts.server_version != facts.version)
    return {"version", CheckVerdict::kWarning, text + ", and this is cairn " + facts.version};
  return {"version", CheckVerdict::kOk, text};
}

}  // namespace

Result<ServerFacts> gather_server_facts(api::Client& client, const std::string& version) {
  using Clock = std::chrono::steady_clock;
  ServerFacts facts;
  facts.version = version;
  CAIRN_TRY(const api::Answer ready, client.get("/ready"));
  facts.ready = ready.status;
  facts.certificate_ends = client.certificate_ends();
  const auto began = Clock::now();
  const Timestamp before = system_time();
  CAIRN_TRY(const api::Answer answer, client.get("/status"));
  facts.answer_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  facts.asked_at = {before.micros + static_cast<std::int64_t>(facts.answer_seconds * 1e6 / 2)};
  if (!answer.ok()) {
    facts.refusal = refusal_text(answer);
    return facts;
  }
  const auto status = nlohmann::json::parse(answer.body, nullptr, false);
  facts.server_version = text_member(status, "version");
  facts.server_time = parse_time(text_member(status, "time"));
  for (const auto& found : list_member(status, "needsAttention")) {
    const std::string name = text_member(found, "name");
    facts.attention.push_back((name.empty() ? "" : name + ": ") + text_member(found, "text"));
  }
  return facts;
}

std::vector<Check> server_checks(const ServerFacts& facts) {
  std::vector<Check> checks = {check_reachable(facts)};
  if (facts.certificate_ends) checks.push_back(check_certificate(*facts.certificate_ends, facts.asked_at));
  if (!facts.refusal.empty()) {
    checks.push_back(
        {"status", CheckVerdict::kWarning, "clock, version and attention are not known: " + facts.refusal});
    return checks;
  }
  if (facts.server_time) checks.push_back(check_server_clock(*facts.server_time, facts));
  checks.push_back(check_server_version(facts));
  for (const std::string& found : facts.attention)
    checks.push_back({"attention", CheckVerdict::kWarning, found});
  if (facts.attention.empty()) checks.push_back({"attention", CheckVerdict::kOk, "nothing needs a person"});
  return checks;
}

}  // namespace cairn::cli

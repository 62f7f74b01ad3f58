#include "upcasters/deploy/refusal_line.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>

#include "upcasters/script/upcaster_script.h"

namespace cairn {

namespace {

std::string reason_of(const DeployRefusal& refusal) {
  if (const auto* script = std::get_if<ScriptError>(&refusal)) return script->text();
  if (const auto* step = std::get_if<StepRefusal>(&refusal)) return step->message;
  if (const auto* schema = std::get_if<RegistryError>(&refusal)) return schema->message;
  if (const auto* store = std::get_if<Error>(&refusal)) return store->message;
  const auto& report = std::get<VerificationReport>(refusal);
  return report.failures.empty() ? "it fails on stored events" : report.failures.front().message;
}

// Of the script, and of the request where the script does not load.
struct Target {
  std::optional<std::string> type;
  std::optional<std::uint32_t> from, to;
};

Target target_of(const UpcasterDraft& draft) {
  const auto script = UpcasterScript::load(draft.source, draft.file);
  if (!script) return {draft.type, draft.from, draft.to};
  const UpcasterHeader& header = script->header();
  return {header.type, header.from, header.to};
}

}  // namespace

LogEvent refusal_line(const UpcasterDraft& draft, const DeployRefusal& refusal) {
  const Target target = target_of(draft);
  const std::string reason = reason_of(refusal);
  const auto* report = std::get_if<VerificationReport>(&refusal);
  std::string message = "The upcaster";
  if (target.type) message += " of " + *target.type;
  if (target.from && target.to) message += fmt::format(" from version {} to {}", *target.from, *target.to);
  message += " is refused: " + reason;
  const bool has_place = report != nullptr && !report->failures.empty();
  if (has_place) {
    message += fmt::format(" (at position {}; it fails on {} of {} events)",
                           report->failures.front().position.value, report->failed, report->checked);
  }
  LogEvent event(LogLevel::kWarning, "upcaster-refused", std::move(message));
  if (target.type) event.add("type", *target.type);
  if (target.from) event.add("from", *target.from);
  if (target.to) event.add("to", *target.to);
  if (has_place) {
    event.add("position", report->failures.front().position.value);
    event.add("failed", report->failed);
    event.add("checked", report->checked);
  }
  event.add("error", reason);
  return event;
}

}  // namespace cairn

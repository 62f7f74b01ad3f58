#include "projections/generation/apply_fault.h"

#include <algorithm>
#include <string>
#include <utility>

#include "upcasters/model/unreadable.h"

namespace cairn {

namespace {

std::string_view kind_of(ShapeFault::Kind kind) {
  switch (kind) {
    case ShapeFault::Kind::kCorruption:
      return "data";
    case ShapeFault::Kind::kNoVersion:
    case ShapeFault::Kind::kNoWay:
    case ShapeFault::Kind::kResult:
      return "schema";
    case ShapeFault::Kind::kScript:
      return "script";
    case ShapeFault::Kind::kLimit:
      return "limit";
  }
  return "data";
}

bool is_limit(ScriptFault fault) {
  return fault == ScriptFault::kSteps || fault == ScriptFault::kMemory || fault == ScriptFault::kTime;
}

ParkedEvent parked(const EventView& event, std::string_view kind, std::string message, int line,
                   Timestamp now) {
  ParkedEvent parked;
  parked.position = event.position;
  parked.kind = kind;
  parked.message = std::move(message);
  parked.line = static_cast<std::uint32_t>(std::max(line, 0));
  parked.parked_at = now;
  return parked;
}

}  // namespace

ParkedEvent parked_event(const EventView& event, const ShapeFault& fault, Timestamp now) {
  return parked(event, kind_of(fault.kind), fault.message, fault.line, now);
}

ParkedEvent parked_event(const EventView& event, const ShapedEvent& part, const ApplyFault& fault,
                         Timestamp now) {
  if (const auto* error = std::get_if<Error>(&fault)) {
    if (error->code != Errc::kCorruption) return parked(event, "row", error->message, 0, now);
    return parked_event(event, unreadable(event, part, *error), now);
  }
  const auto& script = std::get<ScriptError>(fault);
  return parked(event, is_limit(script.fault) ? "limit" : "script", script.text(), script.line, now);
}

bool deserves_second_chance(const ApplyFault& fault) {
  const auto* script = std::get_if<ScriptError>(&fault);
  return script != nullptr && (script->fault == ScriptFault::kMemory || script->fault == ScriptFault::kTime);
}

}  // namespace cairn

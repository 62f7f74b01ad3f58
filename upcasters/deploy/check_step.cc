#include "upcasters/deploy/check_step.h"

#include <fmt/format.h>

#include "schemaregistry/compatibility/compatibility.h"

namespace cairn {

namespace {

std::string version_text(const TypeHistory& history, std::uint32_t version) {
  return fmt::format("version {} of {}", version, history.type);
}

// "1, 2, 4", for messages.
std::string known_versions(const TypeHistory& history) {
  std::string text;
  for (const SubjectVersion& one : history.versions) {
    if (one.deleted) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(one.version);
  }
  return text.empty() ? "none" : text;
}

Result<void, StepRefusal> check_version(const TypeHistory& history, std::uint32_t version) {
  if (history.version(version) != nullptr) return {};
  return StepRefusal{"unknown-version",
                     fmt::format("there is no {}; it has: {}. A new version is registered together with its "
                                 "upcaster",
                                 version_text(history, version), known_versions(history))};
}

// Whether events can continue from `at` to the newest version.
Result<void, StepRefusal> check_continuation(const TypeHistory& history, const SubjectVersion* at,
                                             WorkBudget* budget) {
  const SubjectVersion* newest = history.newest();
  while (newest != nullptr && at->version < newest->version) {
    if (const auto upcaster = history.upcaster_from(*at)) {
      at = history.version(upcaster->header.to);
      continue;
    }
    const SubjectVersion* next = history.next_live(at->version);
    if (!CompatibilityChecker(budget).can_read(next->schema->schema.root(), at->schema->schema.root())) {
      return StepRefusal{"gap",
                         fmt::format("events could not continue from {}: version {} cannot read it and "
                                     "no upcaster leads there. Deploy that one first",
                                     version_text(history, at->version), next->version)};
    }
    at = next;
  }
  return {};
}

}  // namespace

Result<void, StepRefusal> check_step(const TypeHistory& history, const UpcasterHeader& header,
                                     WorkBudget* budget) {
  if (history.versions.empty()) {
    return StepRefusal{"unknown-type",
                       "there is no event type " + history.type + ": no schema is registered for it"};
  }
  if (header.to <= header.from) {
    return StepRefusal{"cycle",
                       fmt::format("an upcaster leads to a later version; this one leads from {} to {}",
                                   header.from, header.to)};
  }
  CAIRN_CHECK(check_version(history, header.from));
  CAIRN_CHECK(check_version(history, header.to));
  const SubjectVersion& from = *history.version(header.from);
  const SubjectVersion* next = history.next_live(header.from);
  if (const auto other = history.upcaster_from(from); other != nullptr && other->header.to != header.to) {
    return StepRefusal{"fork",
                       fmt::format("events of {} already go to version {}; they cannot go to {} as well",
                                   version_text(history, header.from), other->header.to, header.to)};
  }
  if (next == nullptr || next->version != header.to) {
    return StepRefusal{
        "gap",
        fmt::format("the version after {} of {} is {}; an upcaster leads to the next one, this one to {}",
                    header.from, history.type, next == nullptr ? "none" : std::to_string(next->version),
                    header.to)};
  }
  return check_continuation(history, history.version(header.to), budget);
}

}  // namespace cairn

#include "upcasters/deploy/check_step.h"

#include "schemaregistry/compatibility/compatibility.h"

namespace cairn {

namespace {

std::string version_text(const TypeHistory& history, std::uint32_t version) {
  return "version " + std::to_string(version) + " of " + history.type;
}

// The versions there are, for people.
std::string known_versions(const TypeHistory& history) {
  std::string text;
  for (const SubjectVersion& one : history.versions) {
    if (one.deleted) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(one.version);
  }
  return text.empty() ? "none" : text;
}

std::optional<StepRefusal> check_version(const TypeHistory& history, std::uint32_t version) {
  if (history.version(version) != nullptr) return std::nullopt;
  return StepRefusal{"unknown-version", "there is no " + version_text(history, version) +
                                            "; it has: " + known_versions(history) +
                                            ". A new version is registered together with its upcaster"};
}

// Whether everything can go on from `at` to the newest version.
std::optional<StepRefusal> check_way_on(const TypeHistory& history, const SubjectVersion* at) {
  const SubjectVersion* newest = history.newest();
  while (newest != nullptr && at->version < newest->version) {
    if (const auto upcaster = history.upcaster_from(*at)) {
      at = history.version(upcaster->header.to);
      continue;
    }
    const SubjectVersion* next = history.next_live(at->version);
    if (!CompatibilityChecker().can_read(next->schema->schema.root(), at->schema->schema.root())) {
      return StepRefusal{"gap", "events could not go on from " + version_text(history, at->version) +
                                    ": version " + std::to_string(next->version) +
                                    " cannot read it and no upcaster leads there. Deploy that one first"};
    }
    at = next;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StepRefusal> check_step(const TypeHistory& history, const UpcasterHeader& header) {
  if (history.versions.empty()) {
    return StepRefusal{"unknown-type",
                       "there is no event type " + history.type + ": no schema is registered for it"};
  }
  if (header.to <= header.from) {
    return StepRefusal{"cycle", "an upcaster leads to a later version; this one leads from " +
                                    std::to_string(header.from) + " to " + std::to_string(header.to)};
  }
  for (const std::uint32_t version : {header.from, header.to}) {
    if (auto refusal = check_version(history, version)) return refusal;
  }
  const SubjectVersion& from = *history.version(header.from);
  const SubjectVersion* next = history.next_live(header.from);
  if (const auto other = history.upcaster_from(from); other != nullptr && other->header.to != header.to) {
    return StepRefusal{"fork", "events of " + version_text(history, header.from) + " already go to version " +
                                   std::to_string(other->header.to) + "; they cannot go to " +
                                   std::to_string(header.to) + " as well"};
  }
  if (next == nullptr || next->version != header.to) {
    return StepRefusal{"gap",
                       "the version after " + std::to_string(header.from) + " of " + history.type + " is " +
                           (next == nullptr ? std::string("none") : std::to_string(next->version)) +
                           "; an upcaster leads to the next one, this one to " + std::to_string(header.to)};
  }
  return check_way_on(history, history.version(header.to));
}

}  // namespace cairn

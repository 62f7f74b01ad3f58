#include "schemaregistry/registry/candidate.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/model/schema_text.h"
#include "schemaregistry/registry/resolve_references.h"

namespace cairn {

namespace {

RegistryError no_reference(const ReferenceInput& reference) {
  const std::string version = reference.version ? std::to_string(*reference.version) : "latest";
  return invalid_schema("No schema reference found for subject \"" + reference.subject + "\" and version " +
                        version);
}

const SubjectVersion* find_target(const RegistryState& state, const ReferenceInput& reference,
                                  Deleted hidden) {
  const SubjectVersions* versions = state.find_subject(reference.subject);
  if (versions == nullptr) return nullptr;
  if (!reference.version) return newest_live(*versions);
  const SubjectVersion* version = find_version(*versions, *reference.version);
  return version != nullptr && version->deleted && hidden == Deleted::kLeftOut ? nullptr : version;
}

SchemaForm form_of(Normalize normalize) {
  return normalize == Normalize::kYes ? SchemaForm::kNormalized : SchemaForm::kIdentity;
}

// References sorted by name, as in normalised schemas.
std::vector<ReferenceInput> sorted(std::vector<ReferenceInput> references) {
  std::sort(references.begin(), references.end(), [](const ReferenceInput& a, const ReferenceInput& b) {
    return std::tie(a.name, a.subject, a.version) < std::tie(b.name, b.subject, b.version);
  });
  return references;
}

}  // namespace

RegistryResult<Candidate> read_candidate(const RegistryState& state, const SchemaInput& input,
                                         Normalize normalize, Deleted hidden, WorkBudget* budget) {
  if (input.text.empty()) return invalid_schema("it is empty");
  if (input.references.size() > kReferencesMax) {
    return schema_too_large("it has more than " + std::to_string(kReferencesMax) + " references");
  }
  std::vector<SchemaReference> references;
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
  for (const ReferenceInput& reference :
       normalize == Normalize::kYes ? sorted(input.references) : input.references) {
    const SubjectVersion* target = find_target(state, reference, hidden);
    if (target == nullptr) return no_reference(reference);
    references.push_back({reference.name, reference.subject, target->version});
    referenced.push_back(target->schema);
  }
  auto schema = parse_with_references(input.text, references, referenced, budget);
  if (!schema) return schema_refused(schema.error());
  auto text = print_schema(*schema, form_of(normalize), budget);
  if (!text) return schema_refused(text.error());
  return Candidate{*std::move(text), std::move(references), std::move(referenced), *std::move(schema)};
}

RegistryResult<void> check_storable(const Candidate& candidate, Normalize normalize, WorkBudget* budget) {
  const auto again =
      parse_with_references(candidate.text, candidate.references, candidate.referenced, budget);
  if (!again) return schema_refused(again.error());
  const auto text = print_schema(*again, form_of(normalize), budget);
  if (!text) return schema_refused(text.error());
  if (*text != candidate.text)
    return invalid_schema("its names cannot be written so that they mean the same");
  if (const auto encoder = JsonEncoder::make(*again); !encoder)
    return invalid_schema(encoder.error().message);
  return {};
}

RegistryResult<std::vector<std::string>> check_compatibility(const RegistryState& state,
                                                             const std::string& subject,
                                                             const Candidate& candidate, WorkBudget* budget) {
  std::vector<LiveVersion> live;
  if (const SubjectVersions* versions = state.find_subject(subject)) {
    for (auto version = versions->rbegin(); version != versions->rend(); ++version) {
      if (version->deleted) continue;
      live.push_back({static_cast<int>(version->version), &version->schema->schema, version->schema->text});
    }
  }
  return check_candidate(state.compatibility_of(subject), candidate, live, budget);
}

RegistryResult<std::vector<std::string>> check_candidate(CompatibilityLevel level, const Candidate& candidate,
                                                         std::span<const LiveVersion> newest_first,
                                                         WorkBudget* budget) {
  if (budget == nullptr) return check_level(level, candidate.schema, newest_first);
  CAIRN_TRY(auto messages, check_level(level, candidate.schema, newest_first, *budget));
  return messages;
}

}  // namespace cairn

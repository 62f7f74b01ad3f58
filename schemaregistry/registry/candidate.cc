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

// References sorted by name, as in normalised schemas.
std::vector<ReferenceInput> sorted(std::vector<ReferenceInput> references) {
  std::sort(references.begin(), references.end(), [](const ReferenceInput& a, const ReferenceInput& b) {
    return std::tie(a.name, a.subject, a.version) < std::tie(b.name, b.subject, b.version);
  });
  return references;
}

}  // namespace

RegistryResult<Candidate> read_candidate(const RegistryState& state, const SchemaInput& input,
                                         Normalize normalize, Deleted hidden) {
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
  auto schema = parse_with_references(input.text, references, referenced);
  if (!schema) {
    const Error& error = schema.error();
    return error.code == Errc::kTooLarge ? schema_too_large(error.message) : invalid_schema(error.message);
  }
  std::string text = normalize == Normalize::kYes ? normalized_schema_text(*schema) : schema_text(*schema);
  return Candidate{std::move(text), std::move(references), std::move(referenced), *std::move(schema)};
}

RegistryResult<void> check_storable(const Candidate& candidate, Normalize normalize) {
  const auto again = parse_with_references(candidate.text, candidate.references, candidate.referenced);
  if (!again) {
    return again.error().code == Errc::kTooLarge ? schema_too_large(again.error().message)
                                                 : invalid_schema(again.error().message);
  }
  const std::string text =
      normalize == Normalize::kYes ? normalized_schema_text(*again) : schema_text(*again);
  if (text != candidate.text) return invalid_schema("its names cannot be written so that they mean the same");
  if (const auto encoder = JsonEncoder::make(*again); !encoder)
    return invalid_schema(encoder.error().message);
  return {};
}

std::vector<std::string> check_compatibility(const RegistryState& state, const std::string& subject,
                                             const Candidate& candidate) {
  std::vector<LiveVersion> live;
  if (const SubjectVersions* versions = state.find_subject(subject)) {
    for (auto version = versions->rbegin(); version != versions->rend(); ++version) {
      if (version->deleted) continue;
      live.push_back({static_cast<int>(version->version), &version->schema->schema, version->schema->text});
    }
  }
  return check_level(state.compatibility_of(subject), candidate.schema, live);
}

}  // namespace cairn

#include "schemaregistry/compatibility/confluent_message.h"

#include <string_view>

namespace cairn {
namespace {

std::string description(const Incompatibility& finding, const std::string& reader,
                        const std::string& writer) {
  const std::string path = "path '" + finding.path + "'";
  switch (finding.kind) {
    case IncompatibilityKind::kNameMismatch:
      return "The name of the schema has changed (" + path + ")";
    case IncompatibilityKind::kTypeMismatch:
      return "The type (" + path + ") of a field in the " + reader + " schema does not match with the " +
             writer + " schema";
    case IncompatibilityKind::kFixedSizeMismatch:
      return "The size of FIXED type field at " + path + " in the " + reader +
             " schema does not match with the " + writer + " schema";
    case IncompatibilityKind::kMissingEnumSymbols:
      return "The " + reader + " schema is missing enum symbols '" + finding.detail + "' at " + path +
             " in the " + writer + " schema";
    case IncompatibilityKind::kMissingUnionBranch:
      return "The " + reader + " schema is missing a type inside a union field at " + path + " in the " +
             writer + " schema";
    case IncompatibilityKind::kReaderFieldMissingDefault:
      return "The field '" + finding.detail + "' at " + path + " in the " + reader +
             " schema has no default value and is missing in the " + writer + " schema";
    case IncompatibilityKind::kTooComplex:
      return "The " + reader + " schema could not be compared with the " + writer + " schema beyond " + path;
  }
  return {};
}

}  // namespace

std::string confluent_message(const Incompatibility& finding, CompatibilityDirection direction) {
  const bool is_backward = direction == CompatibilityDirection::kBackward;
  std::string text = "{errorType:'";
  text += to_string(finding.kind);
  text += "', description:'";
  text += description(finding, is_backward ? "new" : "old", is_backward ? "old" : "new");
  text += "', additionalInfo:'";
  text += finding.detail;
  text += "'}";
  return text;
}

}  // namespace cairn

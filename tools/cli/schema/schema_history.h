#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/compatibility/compatibility_level.h"
#include "tools/cli/schema/schema_file.h"

namespace cairn::cli {

// One version of a subject.
struct SchemaVersion {
  int version = 0;
  std::string text;
  std::vector<SchemaReference> references;
};

// The existing versions of subjects, on a server or in a folder, and what they require of the next ones. An
// error means that the versions could not be read; report_failure() turns it into an exit code.
class SchemaHistory {
 public:
  virtual ~SchemaHistory() = default;

  // The version that is identical to this schema; nullopt when there is none.
  virtual Result<std::optional<int>> find(const SchemaFile& schema) = 0;

  // Why this schema may not become the next version of its subject, in Confluent's words: empty when it may,
  // nullopt when the subject has no versions. REQUIRES: the schema is valid.
  virtual Result<std::optional<std::vector<std::string>>> check(const SchemaFile& schema) = 0;

  // The compatibility level that a new version of the subject must satisfy.
  virtual Result<CompatibilityLevel> level(const std::string& subject) = 0;

  // All versions, the oldest first; none when there is no such subject.
  virtual Result<std::vector<SchemaVersion>> versions(const std::string& subject) = 0;

  // The version that a reference names; nullopt when it does not exist.
  virtual Result<std::optional<SchemaVersion>> version(const SchemaReference& reference) = 0;
};

}  // namespace cairn::cli

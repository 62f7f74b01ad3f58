#include "tools/cli/schema/folder_history.h"

#include <utility>

#include "tools/cli/schema/registration_order.h"
#include "tools/cli/schema/schema_folder.h"

namespace cairn::cli {

Result<FolderHistory> FolderHistory::open(const std::filesystem::path& folder, CompatibilityLevel level) {
  CAIRN_TRY(SchemaFolder read, read_schema_folder(folder));
  CAIRN_TRY(auto files, in_registration_order(std::move(read.files)));
  FolderHistory history(level);
  for (SchemaFile& file : files) {
    const SchemaVersion version{.version = file.number == 0 ? 1 : file.number,
                                .text = std::move(file.text),
                                .references = std::move(file.references)};
    auto parsed = history.parse(version);
    if (!parsed) return make_error(Errc::kInvalidArgument, file.path + ": " + parsed.error().message);
    history.subjects_[file.subject].push_back(version);
    history.parsed_[file.subject].push_back(*std::move(parsed));
  }
  return history;
}

Result<ParsedSchema> FolderHistory::parse(const SchemaVersion& version) {
  return parse_version(version,
                       [this](const SchemaReference& reference) { return this->version(reference); });
}

Result<std::optional<int>> FolderHistory::find(const SchemaFile& schema) {
  const auto known = parsed_.find(schema.subject);
  if (known == parsed_.end()) return std::optional<int>();
  CAIRN_TRY(const ParsedSchema parsed,
            parse({.version = 0, .text = schema.text, .references = schema.references}));
  for (const ParsedSchema& version : known->second) {
    if (version.is_same(parsed)) return std::optional(version.version);
  }
  return std::optional<int>();
}

Result<std::optional<std::vector<std::string>>> FolderHistory::check(const SchemaFile& schema) {
  using Messages = std::optional<std::vector<std::string>>;
  const auto known = parsed_.find(schema.subject);
  if (known == parsed_.end()) return Messages();
  CAIRN_TRY(const ParsedSchema parsed,
            parse({.version = 0, .text = schema.text, .references = schema.references}));
  return Messages(check_against(level_, parsed.schema, known->second));
}

Result<std::vector<SchemaVersion>> FolderHistory::versions(const std::string& subject) {
  const auto known = subjects_.find(subject);
  return known == subjects_.end() ? std::vector<SchemaVersion>() : known->second;
}

Result<std::optional<SchemaVersion>> FolderHistory::version(const SchemaReference& reference) {
  const auto known = subjects_.find(reference.subject);
  if (known == subjects_.end()) return std::optional<SchemaVersion>();
  if (reference.version == SchemaReference::kLatest) return std::optional(known->second.back());
  for (const SchemaVersion& version : known->second) {
    if (version.version == reference.version) return std::optional(version);
  }
  return std::optional<SchemaVersion>();
}

}  // namespace cairn::cli

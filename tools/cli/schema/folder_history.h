#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/cli/schema/parsed_schema.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

// A folder of earlier versions, read as read_schema_folder() does, all at one level.
class FolderHistory : public SchemaHistory {
 public:
  // kInvalidArgument when the folder cannot be read or a schema in it is not valid.
  static Result<FolderHistory> open(const std::filesystem::path& folder, CompatibilityLevel level);

  Result<std::optional<int>> find(const SchemaFile& schema) override;
  Result<std::optional<std::vector<std::string>>> check(const SchemaFile& schema) override;
  Result<CompatibilityLevel> level(const std::string&) override { return level_; }
  Result<std::vector<SchemaVersion>> versions(const std::string& subject) override;
  Result<std::optional<SchemaVersion>> version(const SchemaReference& reference) override;

 private:
  explicit FolderHistory(CompatibilityLevel level) : level_(level) {}
  Result<ParsedSchema> parse(const SchemaVersion& version);

  CompatibilityLevel level_;
  std::map<std::string, std::vector<SchemaVersion>> subjects_;
  std::map<std::string, std::vector<ParsedSchema>> parsed_;
};

}  // namespace cairn::cli

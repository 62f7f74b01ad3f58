#include "tools/cli/schema/server_history.h"

#include <utility>

namespace cairn::cli {

namespace {

SchemaVersion as_version(RegisteredSchema schema) {
  return {schema.version, std::move(schema.text), std::move(schema.references)};
}

}  // namespace

Result<std::optional<int>> ServerHistory::find(const SchemaFile& schema) {
  CAIRN_TRY(const auto lookup, registry_.look_up(schema));
  return lookup.found ? std::optional(lookup.found->version) : std::nullopt;
}

Result<std::optional<std::vector<std::string>>> ServerHistory::check(const SchemaFile& schema) {
  // A registry calls every schema of an unknown subject compatible, so the versions are read first.
  CAIRN_TRY(const auto versions, registry_.versions(schema.subject, Deleted::kLeftOut));
  if (!versions) return std::optional<std::vector<std::string>>();
  CAIRN_TRY(auto messages, registry_.check(schema));
  return std::optional(std::move(messages));
}

Result<CompatibilityLevel> ServerHistory::level(const std::string& subject) {
  CAIRN_TRY(const std::string name, registry_.level(subject));
  const auto level = parse_compatibility_level(name);
  if (!level) return make_error(Errc::kFailedPrecondition, "the server has an unknown level, " + name);
  return *level;
}

Result<std::vector<SchemaVersion>> ServerHistory::versions(const std::string& subject) {
  CAIRN_TRY(const auto numbers, registry_.versions(subject, Deleted::kLeftOut));
  std::vector<SchemaVersion> versions;
  for (const int number : numbers.value_or(std::vector<int>())) {
    CAIRN_TRY(auto found, registry_.version(subject, std::to_string(number), Deleted::kLeftOut));
    if (found) versions.push_back(as_version(*std::move(found)));  // else it was deleted just now
  }
  return versions;
}

Result<std::optional<SchemaVersion>> ServerHistory::version(const SchemaReference& reference) {
  const bool is_latest = reference.version == SchemaReference::kLatest;
  CAIRN_TRY(auto found,
            registry_.version(reference.subject, is_latest ? "latest" : std::to_string(reference.version),
                              Deleted::kLeftOut));
  if (!found) return std::optional<SchemaVersion>();
  return std::optional(as_version(*std::move(found)));
}

}  // namespace cairn::cli

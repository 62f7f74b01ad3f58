#include "tools/cli/schema/schema_file.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "eventstore/base/file.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

Error wrong(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

bool is_version(const json& value) {
  return value.is_number_integer() && value >= SchemaReference::kLatest && value != 0 &&
         value <= std::numeric_limits<int>::max();
}

Result<SchemaReference> parse_reference(const json& entry) {
  static const std::set<std::string> known = {"name", "subject", "version"};
  if (!entry.is_object()) return wrong("each reference must be an object");
  for (const auto& [member, value] : entry.items()) {
    if (!known.contains(member)) return wrong("a reference has no \"" + member + "\"");
  }
  SchemaReference reference;
  for (const char* member : {"name", "subject"}) {
    const json value = entry.value(member, json());
    if (!value.is_string() || value.get<std::string>().empty()) {
      return wrong("a reference needs \"" + std::string(member) + "\", a text");
    }
    (member[0] == 'n' ? reference.name : reference.subject) = value.get<std::string>();
  }
  const json version = entry.value("version", json(SchemaReference::kLatest));
  if (!is_version(version)) return wrong("\"version\" must be a number from 1, or -1 for the latest");
  reference.version = version.get<int>();
  return reference;
}

Result<std::vector<SchemaReference>> read_references(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text) return wrong(text.error().message);
  const json list = json::parse(*text, nullptr, false);
  if (!list.is_array()) return wrong(path.string() + ": must be a JSON list of references");
  std::vector<SchemaReference> references;
  for (const json& entry : list) {
    auto reference = parse_reference(entry);
    if (!reference) return wrong(path.string() + ": " + reference.error().message);
    references.push_back(*std::move(reference));
  }
  return references;
}

}  // namespace

Result<SchemaFile> read_schema_file(const std::string& subject, int number,
                                    const std::filesystem::path& path) {
  SchemaFile file{.subject = subject, .number = number, .path = path.lexically_normal().string()};
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return wrong(file.path + " is a folder, not a schema");
  auto text = read_file(path);
  if (!text) return wrong(text.error().message);
  file.text = *std::move(text);
  const auto references = std::filesystem::path(path).replace_extension(".refs.json");
  if (std::filesystem::exists(references, error)) {
    CAIRN_TRY(file.references, read_references(references));
  }
  return file;
}

}  // namespace cairn::cli

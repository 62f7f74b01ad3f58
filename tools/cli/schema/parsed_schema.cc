#include "tools/cli/schema/parsed_schema.h"

#include <set>
#include <string_view>
#include <utility>

#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_text.h"

namespace cairn::cli {

namespace {

// Collects the texts of references without duplicates, each after the ones it depends on.
class ReferenceTexts {
 public:
  explicit ReferenceTexts(const FindVersion& find) : find_(find) {}

  Status add(const std::vector<SchemaReference>& references, std::size_t depth = 0) {
    if (depth > kSchemaDepthMax) {
      return make_error(Errc::kInvalidArgument, "the references lead too deep");
    }
    for (const SchemaReference& reference : references) {
      if (!seen_.emplace(reference.subject, reference.version).second) continue;
      CAIRN_TRY(const std::optional<SchemaVersion> found, find_(reference));
      if (!found) {
        const bool is_latest = reference.version == SchemaReference::kLatest;
        return make_error(Errc::kInvalidArgument,
                          "the reference " + reference.name + " leads nowhere: there is no " +
                              (is_latest ? "" : "version " + std::to_string(reference.version) + " of ") +
                              "subject " + reference.subject);
      }
      CAIRN_CHECK(add(found->references, depth + 1));
      if (texts_seen_.insert(found->text).second) texts.push_back(found->text);
    }
    return {};
  }

  std::vector<std::string> texts;

 private:
  const FindVersion& find_;
  std::set<std::pair<std::string, int>> seen_;
  std::set<std::string> texts_seen_;
};

}  // namespace

Result<ParsedSchema> parse_version(const SchemaVersion& version, const FindVersion& find) {
  ReferenceTexts references(find);
  CAIRN_CHECK(references.add(version.references));
  const std::vector<std::string_view> views(references.texts.begin(), references.texts.end());
  CAIRN_TRY(Schema schema, parse_schema(version.text, views));
  std::string text = schema_text(schema);
  ParsedSchema parsed{version.version, std::move(schema), std::move(text), version.references};
  for (SchemaReference& reference : parsed.references) {
    CAIRN_TRY(const std::optional<SchemaVersion> found, find(reference));
    reference.version = found->version;  // Resolved now: "latest" changes later.
  }
  return parsed;
}

std::vector<std::string> check_against(CompatibilityLevel level, const Schema& candidate,
                                       const std::vector<ParsedSchema>& oldest_first) {
  std::vector<LiveVersion> newest_first;
  for (auto old = oldest_first.rbegin(); old != oldest_first.rend(); ++old) {
    newest_first.push_back({.version = old->version, .schema = &old->schema, .text = old->text});
  }
  return check_level(level, candidate, newest_first);
}

}  // namespace cairn::cli

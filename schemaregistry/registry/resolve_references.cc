#include "schemaregistry/registry/resolve_references.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "schemaregistry/model/parse_schema.h"

namespace cairn {

namespace {

class Collector {
 public:
  Status collect(std::span<const SchemaReference> references,
                 std::span<const std::shared_ptr<const StoredSchema>> referenced, std::size_t depth) {
    if (!references.empty() && depth > kReferenceDepthMax) {
      return make_error(Errc::kTooLarge, "references lead through more than " +
                                             std::to_string(kReferenceDepthMax) + " schemas");
    }
    for (std::size_t i = 0; i < references.size(); ++i) {
      const StoredSchema& target = *referenced[i];
      if (!names_.insert(references[i].name).second || !ids_.insert(target.id.value).second) continue;
      if (ids_.size() > kReferencesMax) {
        return make_error(Errc::kTooLarge,
                          "more than " + std::to_string(kReferencesMax) + " schemas are referred to");
      }
      CAIRN_CHECK(collect(target.references, target.referenced, depth + 1));
      texts_.push_back(target.text);
    }
    return {};
  }

  std::span<const std::string_view> texts() const { return texts_; }

 private:
  std::unordered_set<std::string_view> names_;
  std::unordered_set<std::uint32_t> ids_;  // two names may refer to one text, which may be parsed only once
  std::vector<std::string_view> texts_;    // each after those that it needs
};

}  // namespace

Result<Schema> parse_with_references(std::string_view text, std::span<const SchemaReference> references,
                                     std::span<const std::shared_ptr<const StoredSchema>> referenced,
                                     WorkBudget* budget) {
  Collector collector;
  CAIRN_CHECK(collector.collect(references, referenced, 1));
  return parse_schema(text, collector.texts(), budget);
}

}  // namespace cairn

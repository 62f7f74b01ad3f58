#include "upcasters/chain/type_history.h"

#include <algorithm>

namespace cairn {

const SubjectVersion* TypeHistory::version(std::uint32_t number) const {
  return versions.empty() ? nullptr : find_version(versions, number);
}

const SubjectVersion* TypeHistory::newest() const {
  return versions.empty() ? nullptr : newest_live(versions);
}

const SubjectVersion* TypeHistory::next_live(std::uint32_t after) const {
  const auto found = std::find_if(versions.begin(), versions.end(), [after](const SubjectVersion& one) {
    return one.version > after && !one.deleted;
  });
  return found == versions.end() ? nullptr : &*found;
}

const SubjectVersion* TypeHistory::with_schema(SchemaId id) const {
  const auto found = std::find_if(versions.rbegin(), versions.rend(),
                                  [id](const SubjectVersion& one) { return one.schema->id == id; });
  return found == versions.rend() ? nullptr : &*found;
}

const SubjectVersion* TypeHistory::newest_at(std::uint64_t registry_changes) const {
  const SubjectVersion* first = nullptr;
  for (auto one = versions.rbegin(); one != versions.rend(); ++one) {
    if (one->deleted) continue;
    if (one->registered_at <= registry_changes) return &*one;
    first = &*one;
  }
  return first;
}

std::shared_ptr<const Upcaster> TypeHistory::upcaster_from(const SubjectVersion& from) const {
  const auto found = upcasters.find(from.version);
  if (found == upcasters.end()) return nullptr;
  const Upcaster& upcaster = *found->second;
  const SubjectVersion* to = version(upcaster.header.to);
  const bool is_meant =
      from.schema->id == upcaster.from_schema && to != nullptr && to->schema->id == upcaster.to_schema;
  return is_meant ? found->second : nullptr;
}

}  // namespace cairn

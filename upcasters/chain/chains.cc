#include "upcasters/chain/chains.h"

namespace cairn {

Result<std::shared_ptr<const Chain>> Chains::find(std::string_view type, SchemaId stored, Shape shape) {
  Key key(type, stored.value, shape.kind, shape.version);
  // Read before the history: a change during compilation only makes the cache drop the chain sooner.
  const std::uint64_t now = source_.changes();
  {
    const MutexLock lock(mutex_);
    if (made_at_ != now) chains_.clear();
    made_at_ = now;
    if (const auto known = chains_.find(key); known != chains_.end()) return known->second;
  }
  auto schema = source_.schema(stored);
  if (schema == nullptr) {
    return make_error(Errc::kNotFound, "there is no schema " + std::to_string(stored.value));
  }
  CAIRN_TRY(auto made, make_chain(source_.history(type), std::move(schema), shape));
  const MutexLock lock(mutex_);
  if (made_at_ == now) chains_.emplace(std::move(key), made);
  return made;
}

Result<SubjectVersion> Chains::target_of(std::string_view type, std::uint64_t registry_changes) {
  const TypeHistory history = source_.history(type);
  const SubjectVersion* target = history.newest_at(registry_changes);
  if (target == nullptr) {
    return make_error(Errc::kNotFound, "the type '" + std::string(type) + "' has no schema");
  }
  return *target;
}

}  // namespace cairn

#include "upcasters/chain/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upcasters/model/fingerprint.h"

namespace cairn {

namespace {

using Schemas = std::shared_ptr<const StoredSchema>;

Error no_version(const TypeHistory& history, std::uint32_t version) {
  return make_error(Errc::kNotFound, fmt::format("the type '{}' has no version {}", history.type, version));
}

// Builds the steps of a chain. `bytes` is the schema of the last step's result, `seen` the one it is read as:
// at most one schema resolution is pending, and the next step, or the consumer of the event, performs it
// while reading.
class ChainBuilder {
 public:
  ChainBuilder(const TypeHistory& history, Schemas stored)
      : history_(history), bytes_(stored), seen_(std::move(stored)) {
    keep(bytes_);
    fingerprint_.add("chain").add(history.type).add(bytes_->id.value);
  }

  Status resolve_to(const SubjectVersion& version) {
    if (version.schema->id != seen_->id) {
      if (bytes_ != seen_) CAIRN_CHECK(add_step(nullptr, seen_, version_));
      seen_ = version.schema;
      keep(seen_);
      fingerprint_.add(seen_->id.value);
    }
    version_ = version.version;
    return {};
  }

  Status upcast_to(std::shared_ptr<const Upcaster> upcaster, const SubjectVersion& version) {
    fingerprint_.add(upcaster->fingerprint).add(upcaster->registry_changes).add(version.schema->id.value);
    keep(version.schema);
    CAIRN_CHECK(add_step(std::move(upcaster), version.schema, version.version));
    seen_ = version.schema;
    version_ = version.version;
    return {};
  }

  Result<std::shared_ptr<const Chain>> done(std::uint32_t stored_version) && {
    CAIRN_TRY(DecodePlan plan, DecodePlan::compile(bytes_->schema, seen_->schema));
    return std::make_shared<const Chain>(
        Chain{history_.type, stored_version, std::move(steps_), std::move(plan), seen_,
              version_ == 0 ? stored_version : version_, fingerprint_.text(), std::move(schemas_)});
  }

 private:
  Status add_step(std::shared_ptr<const Upcaster> upcaster, const Schemas& result, std::uint32_t version) {
    CAIRN_TRY(DecodePlan plan, DecodePlan::compile(bytes_->schema, seen_->schema));
    steps_.push_back({std::move(plan), std::move(upcaster), result, version, bytes_->id != seen_->id});
    bytes_ = result;
    return {};
  }

  void keep(const Schemas& schema) { schemas_.push_back(schema); }

  const TypeHistory& history_;
  Schemas bytes_;
  Schemas seen_;
  std::uint32_t version_ = 0;  // of `seen_`; 0 = as stored
  std::vector<ChainStep> steps_;
  std::vector<Schemas> schemas_;
  Fingerprint fingerprint_;
};

}  // namespace

Result<std::shared_ptr<const Chain>> make_chain(const TypeHistory& history, Schemas stored, Shape shape) {
  const SubjectVersion* at = history.with_schema(stored->id);
  const std::uint32_t stored_version = at == nullptr ? 0 : at->version;
  ChainBuilder chain(history, std::move(stored));
  if (shape.kind == Shape::Kind::kStored) return std::move(chain).done(stored_version);

  const SubjectVersion* target =
      shape.kind == Shape::Kind::kLatest ? history.newest() : history.version(shape.version);
  if (target == nullptr) {
    if (shape.kind == Shape::Kind::kVersion) return no_version(history, shape.version);
    return std::move(chain).done(stored_version);  // All versions are hidden or gone.
  }
  // Schema resolution can also lead to an older version; upcasters only lead forward. A schema that no
  // version has any more has no next version.
  if (at == nullptr || at->version > target->version) {
    CAIRN_CHECK(chain.resolve_to(*target));
    return std::move(chain).done(stored_version);
  }
  while (at->version != target->version) {
    if (auto upcaster = history.upcaster_from(*at);
        upcaster != nullptr && upcaster->header.to <= target->version) {
      at = history.version(upcaster->header.to);
      CAIRN_CHECK(chain.upcast_to(std::move(upcaster), *at));
      continue;
    }
    const SubjectVersion* next = history.next_live(at->version);
    at = next == nullptr || next->version > target->version ? target : next;
    CAIRN_CHECK(chain.resolve_to(*at));
  }
  return std::move(chain).done(stored_version);
}

}  // namespace cairn

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/chain/type_history.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn {

// The current histories, from the schema registry and the upcasters. Thread-safe.
class RegistryHistory final : public HistorySource {
 public:
  // REQUIRES: both outlive it.
  RegistryHistory(SchemaRegistry& registry, Upcasters& upcasters)
      : registry_(registry), upcasters_(upcasters) {}

  // Both only grow, so their sum differs after every change.
  std::uint64_t changes() const override { return registry_.changes() + upcasters_.changes(); }
  TypeHistory history(std::string_view type) override;
  std::shared_ptr<const StoredSchema> schema(SchemaId id) override { return registry_.by_id(id); }

 private:
  SchemaRegistry& registry_;
  Upcasters& upcasters_;
};

// The histories of `base`, with that of one type replaced: as it would be with an upcaster that is being
// verified.
class CandidateHistory final : public HistorySource {
 public:
  // REQUIRES: `base` outlives it.
  CandidateHistory(HistorySource& base, TypeHistory candidate)
      : base_(base), candidate_(std::move(candidate)) {}

  std::uint64_t changes() const override { return 1; }  // a verification uses one history from start to end
  TypeHistory history(std::string_view type) override {
    return type == candidate_.type ? candidate_ : base_.history(type);
  }
  std::shared_ptr<const StoredSchema> schema(SchemaId id) override { return base_.schema(id); }

 private:
  HistorySource& base_;
  const TypeHistory candidate_;
};

}  // namespace cairn

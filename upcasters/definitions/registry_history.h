#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/chain/type_history.h"
#include "upcasters/definitions/upcasters.h"

namespace cairn {

// Histories as they are: from the schema registry and the upcasters.
class RegistryHistory final : public HistorySource {
 public:
  // `refresh` is called between a look at the versions and one at the upcasters; see
  // EventShapes::open_reader(). REQUIRES: both outlive it.
  RegistryHistory(SchemaRegistry& registry, const Upcasters& upcasters, std::function<void()> refresh = {})
      : registry_(registry), upcasters_(upcasters), refresh_(std::move(refresh)) {}

  // Both only grow, so their sum is another one after every change.
  std::uint64_t changes() const override { return registry_.changes() + upcasters_.changes(); }
  TypeHistory history(std::string_view type) override;
  std::shared_ptr<const StoredSchema> schema(SchemaId id) override { return registry_.by_id(id); }

 private:
  SchemaRegistry& registry_;
  const Upcasters& upcasters_;
  const std::function<void()> refresh_;
};

// The same with one type's history as it would be.
class CandidateHistory final : public HistorySource {
 public:
  // REQUIRES: `base` outlives it.
  CandidateHistory(HistorySource& base, TypeHistory candidate)
      : base_(base), candidate_(std::move(candidate)) {}

  std::uint64_t changes() const override { return 1; }  // It is tried as it was when it began.
  TypeHistory history(std::string_view type) override {
    return type == candidate_.type ? candidate_ : base_.history(type);
  }
  std::shared_ptr<const StoredSchema> schema(SchemaId id) override { return base_.schema(id); }

 private:
  HistorySource& base_;
  const TypeHistory candidate_;
};

}  // namespace cairn

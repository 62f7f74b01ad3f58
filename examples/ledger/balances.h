#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "account.h"
#include "eventstore/event_store.h"
#include "projections/daemon/projection_daemon.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace ledger {

// The balance of every account as rows that are kept up to date beside the log, so that whoever asks need not
// read the entries.
class Balances {
 public:
  // REQUIRES: the store, which is that of `folder`, outlives this.
  static cairn::Result<std::unique_ptr<Balances>> open(cairn::EventStore& store,
                                                       const std::filesystem::path& folder);

  // The rows, in the order of their names, once they have the log through `position`.
  cairn::Result<std::vector<cairn::RowsAnswer::Row>> rows(cairn::GlobalPosition position);

  // What the row of an account has to be.
  static std::string row_of(const Account& account);

 private:
  Balances() = default;

  // Each needs those before it.
  std::unique_ptr<cairn::SchemaRegistry> registry_;
  std::unique_ptr<cairn::EventShapes> shapes_;
  std::unique_ptr<cairn::ProjectionDaemon> daemon_;
};

}  // namespace ledger

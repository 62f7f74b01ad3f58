#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "account.h"
#include "projections/engine/engine.h"

namespace ledger {

// The balance of every account, as rows of a projection, so that a query does not read the entries.
class Balances {
 public:
  // Adds the projection to the engine's daemon. REQUIRES: the engine builds read models, is not started yet,
  // and outlives this.
  static cairn::Result<Balances> add_to(cairn::Engine& engine);

  // The rows, sorted by name, after they have applied the log through `position`.
  cairn::Result<std::vector<cairn::RowsAnswer::Row>> rows(cairn::GlobalPosition position);

  // The expected row of an account.
  static std::string row_of(const Account& account);

 private:
  explicit Balances(cairn::ProjectionDaemon& daemon) : daemon_(&daemon) {}

  cairn::ProjectionDaemon* daemon_;
};

}  // namespace ledger

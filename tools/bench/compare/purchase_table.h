#pragma once

#include <string>
#include <vector>

#include "tools/bench/compare/postgres_connection.h"
#include "tools/bench/compare/purchases.h"

namespace cairn::bench {

// The same purchases in a table of PostgreSQL with a column per field, and a read model that PostgreSQL
// computes itself.
class PurchaseTable {
 public:
  static Result<PurchaseTable> make_new(const std::string& connection_string, const Purchases& purchases);

  // Builds the read model from nothing, with one statement, and so one commit, for every 10,000 events.
  // Returns events per second.
  Result<double> rebuild();

  // The rows by customer; kCorruption when there is one too many.
  Result<std::vector<Purchases::Totals>> totals();

 private:
  PurchaseTable(PostgresConnection connection, const Purchases& purchases)
      : connection_(std::move(connection)), purchases_(purchases) {}
  Status fill();

  PostgresConnection connection_;
  Purchases purchases_;
};

}  // namespace cairn::bench

#include "tools/bench/compare/purchase_table.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cairn::bench {

namespace {

constexpr std::uint64_t kEventsPerStatement = 10'000;
constexpr std::uint64_t kRowsPerCopy = 100'000;
constexpr const char* kStatement = "add_purchases";

}  // namespace

Result<PurchaseTable> PurchaseTable::make_new(const std::string& connection_string,
                                              const Purchases& purchases) {
  CAIRN_TRY(PostgresConnection connection, PostgresConnection::open(connection_string));
  PurchaseTable table(std::move(connection), purchases);
  CAIRN_CHECK(table.fill());
  return table;
}

Status PurchaseTable::fill() {
  CAIRN_CHECK(connection_.execute(R"(
    CREATE TABLE purchases (position bigint PRIMARY KEY, "order" text NOT NULL,
                            customer text COLLATE "C" NOT NULL, quantity int NOT NULL, cents bigint NOT NULL,
                            channel text NOT NULL);
    CREATE TABLE customers (customer text COLLATE "C" PRIMARY KEY, purchases bigint NOT NULL,
                            cents bigint NOT NULL))"));
  std::string rows;
  for (std::uint64_t begin = 0; begin < purchases_.events; begin += kRowsPerCopy) {
    rows.clear();
    for (std::uint64_t i = begin; i < std::min(begin + kRowsPerCopy, purchases_.events); ++i) {
      const Purchases::Purchase purchase = purchases_.at(i);
      rows += std::to_string(i + 1) + '\t' + purchase.order + '\t' + Purchases::name(purchase.customer) +
              '\t' + std::to_string(purchase.quantity) + '\t' + std::to_string(purchase.cents) + '\t' +
              purchase.channel + '\n';
    }
    CAIRN_CHECK(connection_.copy_in("COPY purchases FROM STDIN", rows));
  }
  CAIRN_CHECK(connection_.execute("VACUUM ANALYZE purchases"));
  const PostgresResult prepared(PQprepare(connection_.get(), kStatement,
                                          R"(INSERT INTO customers AS c
      SELECT customer, count(*), sum(cents) FROM purchases
      WHERE position > $1::bigint AND position <= $2::bigint GROUP BY customer
      ON CONFLICT (customer) DO UPDATE
      SET purchases = c.purchases + excluded.purchases, cents = c.cents + excluded.cents)",
                                          2, nullptr));
  return connection_.check(prepared.get(), "prepare");
}

Result<double> PurchaseTable::rebuild() {
  CAIRN_CHECK(connection_.execute("TRUNCATE customers"));
  CAIRN_CHECK(connection_.execute("CHECKPOINT"));
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t after = 0; after < purchases_.events; after += kEventsPerStatement) {
    const std::string from = std::to_string(after);
    const std::string to = std::to_string(after + kEventsPerStatement);
    const char* const values[] = {from.c_str(), to.c_str()};
    const PostgresResult result(
        PQexecPrepared(connection_.get(), kStatement, 2, values, nullptr, nullptr, 0));
    CAIRN_CHECK(connection_.check(result.get(), kStatement));
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  CAIRN_CHECK(connection_.execute("VACUUM ANALYZE customers"));
  return static_cast<double>(purchases_.events) / taken.count();
}

Result<std::vector<Purchases::Totals>> PurchaseTable::totals() {
  const PostgresResult result(
      PQexec(connection_.get(), "SELECT substr(customer, 10), purchases, cents FROM customers"));
  CAIRN_CHECK(connection_.check(result.get(), "the rows"));
  std::vector<Purchases::Totals> all(purchases_.customers);
  for (int i = 0; i < PQntuples(result.get()); ++i) {
    const auto number = [&](int column) { return std::stoll(PQgetvalue(result.get(), i, column)); };
    const auto customer = static_cast<std::uint64_t>(number(0));
    if (customer >= all.size()) return make_error(Errc::kCorruption, "there is a customer too many");
    all[customer] = {number(1), number(2)};
  }
  return all;
}

}  // namespace cairn::bench

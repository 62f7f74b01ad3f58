// Read models: built from the whole log, and kept up to date during appends.

#include <string>
#include <vector>

#include "tools/bench/compare/purchase_store.h"
#include "tools/bench/compare/purchase_table.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

std::string memory_note(const PurchaseStore::Growth& growth) {
  const auto text = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes < 0 ? 0 : bytes)); };
  return "the first time it took the process " + text(growth.anonymous) + " of memory and " +
         text(growth.file) + " of mapped files";
}

// Only systems with the same result are compared.
Status check_totals(const Purchases& purchases, PurchaseStore& store, PurchaseTable& table) {
  const std::vector<Purchases::Totals> expected = purchases.totals();
  const auto check = [&](const std::string& who, const Result<std::vector<Purchases::Totals>>& found) {
    if (!found) return Status(found.error());
    if (*found == expected) return Status();
    return Status(make_error(Errc::kCorruption, "the read model of " + who + " is wrong"));
  };
  CAIRN_CHECK(check("PostgreSQL", table.totals()));
  CAIRN_CHECK(check("the projection in Lua", store.totals(PurchaseStore::kLua)));
  return check("the projection in C++", store.totals(PurchaseStore::kCpp));
}

Result<Rows> measure_rebuilds(Setting& setting) {
  const Purchases purchases{.events = setting.scale.full ? 2'000'000u : 200'000u};
  CAIRN_TRY(PurchaseTable table, PurchaseTable::make_new(setting.postgres.connection_string(), purchases));
  CAIRN_TRY(const auto store, PurchaseStore::make_new(setting.folder / "projections", purchases));

  std::vector<Contender> all;
  all.push_back(
      {"PostgreSQL, INSERT … SELECT of 10,000 events", "events/s", [&] { return table.rebuild(); }});
  all.push_back({"Cairn, Lua", "events/s", [&] { return store->rebuild(PurchaseStore::kLua); }});
  all.push_back({"Cairn, C++", "events/s", [&] { return store->rebuild(PurchaseStore::kCpp); }});
  CAIRN_CHECK(run_rounds("projections", all, setting.scale.rounds));
  CAIRN_CHECK(check_totals(purchases, *store, table));

  Rows rows;
  const auto add = [&](std::size_t contender, const std::string& work, double goal,
                       const PurchaseStore::Growth& growth) {
    const double rate = median(all[contender].samples);
    const double ratio = median_ratio(all[contender], all[0]);
    rows.push_back({.work = work, .cairn = rate_text(rate)});
    rows.back().postgres = rate_text(median(all[0].samples));
    rows.back().ratio = ratio_text(ratio);
    rows.back().goal = "≥ " + rate_text(goal) + " and 5x";
    rows.back().verdict = rate >= goal ? at_least(ratio, 5) : Verdict::kMissed;
    rows.back().note = memory_note(growth);
  };
  add(1, "read model rebuilt, Lua, two threads", 0.5e6, store->growth_lua());
  rows.back().note = std::to_string(purchases.events) + " events of 5 fields, counted and added up for " +
                     std::to_string(purchases.customers) + " customers; " + rows.back().note;
  add(2, "the same, C++", 1.5e6, store->growth_cpp());
  rows.back().samples = std::move(all);
  return rows;
}

}  // namespace

Result<Rows> measure_projections(Setting& setting) {
  CAIRN_TRY(Rows rows, measure_rebuilds(setting));
  CAIRN_TRY(Row lag, measure_projection_lag(setting));
  rows.push_back(std::move(lag));
  return rows;
}

}  // namespace cairn::bench

#include "projections/readmodel/read_model_tables.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>

#include "eventstore/base/sealed.h"

namespace cairn::readmodel {
namespace {

Error damaged(TableId table, std::string_view key, std::string_view what) {
  return make_error(Errc::kCorruption,
                    fmt::format("{} '{}' {}", kTableNames[table.index], record::printable(key), what));
}

template <typename Tables>
Result<std::string_view> read_meta(Tables& tables, std::string_view key) {
  CAIRN_TRY(const auto sealed, tables.get(kMeta, key));
  if (!sealed) return damaged(kMeta, key, "is missing");
  return unseal(kMeta, key, *sealed);
}

template <typename Tables>
Result<stored::State> state_in(Tables& tables) {
  CAIRN_TRY(const std::string_view payload, read_meta(tables, kStateKey));
  const auto state = stored::decode_state(payload);
  if (!state) return damaged(kMeta, kStateKey, "cannot be read");
  return *state;
}

Status for_each(const TableSnapshot& tables, TableId table,
                const std::function<Status(std::string_view key, std::string_view sealed)>& visit) {
  CAIRN_TRY(TableCursor cursor, tables.cursor(table));
  CAIRN_TRY(auto found, cursor.at_or_after({}));
  while (found) {
    CAIRN_CHECK(visit(found->key, found->value));
    CAIRN_TRY(found, cursor.next());
  }
  return {};
}

Status check_rows(const TableSnapshot& tables) {
  std::uint64_t rows = 0;
  const Status read = for_each(tables, kRows, [&](std::string_view key, std::string_view sealed) -> Status {
    ++rows;
    CAIRN_CHECK(unseal(kRows, key, sealed));
    return {};
  });
  CAIRN_CHECK(read);
  CAIRN_TRY(const stored::State state, read_state(tables));
  if (rows == state.rows) return {};
  return make_error(Errc::kCorruption, fmt::format("there are {} rows where {} should be", rows, state.rows));
}

Status check_parked(const TableSnapshot& tables) {
  std::map<std::string, std::uint64_t, std::less<>>
      missing;  // waiting events that have not been found yet, by place
  Status read = for_each(tables, kParked, [&](std::string_view key, std::string_view sealed) -> Status {
    CAIRN_TRY(const stored::Parked parked, read_parked(key, sealed));
    missing.emplace(key, parked.waiting);
    return {};
  });
  CAIRN_CHECK(std::move(read));
  read = for_each(tables, kWaiting, [&](std::string_view key, std::string_view sealed) -> Status {
    CAIRN_CHECK(unseal(kWaiting, key, sealed));
    const auto waiting = stored::decode_waiting_key(key);
    const auto place = waiting ? missing.find(waiting->place_key) : missing.end();
    if (place == missing.end() || place->second == 0) return damaged(kWaiting, key, "should not be there");
    --place->second;
    return {};
  });
  CAIRN_CHECK(std::move(read));
  for (const auto& [key, count] : missing) {
    if (count > 0) return damaged(kParked, key, fmt::format("lacks {} of its waiting events", count));
  }
  return {};
}

}  // namespace

Result<std::string_view> unseal(TableId table, std::string_view key, std::string_view sealed) {
  if (const auto payload = stored::unseal(key, sealed)) return *payload;
  return damaged(table, key, "does not match its checksum");
}

Result<ReadModelIdentity> read_identity(const TableSnapshot& tables) {
  CAIRN_TRY(const std::string_view payload, read_meta(tables, kIdentityKey));
  return stored::decode_identity(payload);
}

Result<stored::State> read_state(const TableSnapshot& tables) { return state_in(tables); }
Result<stored::State> read_state(TableWriter& tables) { return state_in(tables); }

Result<std::uint64_t> read_passed_over(const TableSnapshot& tables) {
  CAIRN_TRY(const auto sealed, tables.get(kMeta, kPassedOverKey));
  if (!sealed) return std::uint64_t{0};
  CAIRN_TRY(const std::string_view payload, unseal(kMeta, kPassedOverKey, *sealed));
  const auto count = stored::decode_count(payload);
  if (!count) return damaged(kMeta, kPassedOverKey, "cannot be read");
  return *count;
}

Result<stored::Parked> read_parked(std::string_view place_key, std::string_view sealed) {
  CAIRN_TRY(const std::string_view payload, unseal(kParked, place_key, sealed));
  auto parked = stored::decode_parked(payload);
  if (!parked || !stored::decode_place(place_key)) return damaged(kParked, place_key, "cannot be read");
  return *std::move(parked);
}

Status check_all(const TableSnapshot& tables) {
  CAIRN_CHECK(check_rows(tables));
  return check_parked(tables);
}

}  // namespace cairn::readmodel

#include "projections/readmodel/lmdb_read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/base/sealed.h"
#include "projections/readmodel/parked_writer.h"
#include "projections/readmodel/read_model_tables.h"

namespace cairn {
namespace {

using readmodel::kMeta;
using readmodel::kParked;
using readmodel::kRows;
using readmodel::kWaiting;

// Verifying this much takes some hundred milliseconds.
constexpr std::uint64_t kCheckedAtOpenBytesMax = 256u << 20;
constexpr std::uint64_t kClearDeadReadersEveryCommits = 256;

TableStoreOptions table_options(TableStore::Access access) {
  return {.tables = {readmodel::kTableNames.begin(), readmodel::kTableNames.end()}, .access = access};
}

Error in_folder(const std::filesystem::path& folder, Error error) {
  error.message = "the read model in " + folder.string() + ": " + error.message;
  return error;
}

Error too_long(std::string_view what, std::size_t bytes) {
  Error error = make_error(Errc::kTooLarge,
                           fmt::format("{} of {} bytes; it may have {}", what, bytes, kRowKeyBytesMax));
  error.limit = kRowKeyBytesMax;
  return error;
}

Status check_place(const ParkedPlace& place) {
  if (place.name.size() > kRowKeyBytesMax) return too_long("a parked place", place.name.size());
  return {};
}

// Checks that all names in a change can be keys.
Status check_change(const ReadModelChange& change) {
  for (const ReadModelChange::Row& row : change.rows) {
    if (row.key.empty()) return make_error(Errc::kInvalidArgument, "a row without a key");
    if (row.key.size() > kRowKeyBytesMax) return too_long("a row's key", row.key.size());
  }
  for (const ParkedPlace* place : change.released) CAIRN_CHECK(check_place(*place));
  for (const auto& [place, event] : change.parked) CAIRN_CHECK(check_place(*place));
  for (const ReadModelChange::Waiting& waiting : change.waiting) CAIRN_CHECK(check_place(*waiting.place));
  return {};
}

Status put_meta(TableWriter& tables, std::string_view key, std::string_view payload) {
  std::string sealed;
  stored::seal(key, payload, sealed);
  CAIRN_CHECK(tables.put(kMeta, key, sealed));
  return {};
}

// Writes and erases rows, and updates their number in `count`.
Status write_rows(TableWriter& tables, const std::vector<ReadModelChange::Row>& rows, std::uint64_t& count) {
  std::string sealed;
  for (const ReadModelChange::Row& row : rows) {
    if (row.saved.empty()) {
      CAIRN_TRY(const bool was_there, tables.erase(kRows, row.key));
      if (was_there && count == 0) {
        return make_error(Errc::kCorruption, fmt::format("the row '{}' is there where 0 rows should be",
                                                         record::printable(row.key)));
      }
      count -= was_there ? 1 : 0;
      continue;
    }
    stored::seal(row.key, row.saved, sealed);
    CAIRN_TRY(const bool is_new, tables.put(kRows, row.key, sealed));
    count += is_new ? 1 : 0;
  }
  return {};
}

Status write_parked(TableWriter& tables, const ReadModelChange& change) {
  readmodel::ParkedWriter writer(tables);
  for (const ParkedPlace* place : change.released) CAIRN_CHECK(writer.release(*place));
  for (const auto& [place, event] : change.parked) CAIRN_CHECK(writer.park(*place, *event));
  for (const ReadModelChange::Waiting& waiting : change.waiting) {
    CAIRN_CHECK(writer.wait(*waiting.place, waiting.position));
  }
  return writer.finish();
}

Status write_change(TableWriter& tables, const ReadModelChange& change) {
  CAIRN_TRY(stored::State state, readmodel::read_state(tables));
  if (change.through < state.through) {
    return make_error(Errc::kInvalidArgument, fmt::format("a checkpoint cannot go back from {} to {}",
                                                          state.through.value, change.through.value));
  }
  state.through = change.through;
  CAIRN_CHECK(write_rows(tables, change.rows, state.rows));
  CAIRN_CHECK(write_parked(tables, change));
  if (change.passed_over > 0) {
    CAIRN_CHECK(put_meta(tables, readmodel::kPassedOverKey, stored::encode_count(change.passed_over)));
  }
  return put_meta(tables, readmodel::kStateKey, stored::encode(state));
}

Result<ParkedEntry> to_entry(std::string_view key, std::string_view sealed) {
  CAIRN_TRY(stored::Parked parked, readmodel::read_parked(key, sealed));
  return ParkedEntry{*stored::decode_place(key), std::move(parked.event), parked.waiting};
}

Status make_unfinished(const std::filesystem::path& folder, const std::string& identity) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) return system_error("removing " + folder.string(), error.value());
  CAIRN_TRY(const auto tables, TableStore::create(folder, table_options(TableStore::Access::kReadWrite)));
  return tables->write([&](TableWriter& writer) -> Status {
    CAIRN_CHECK(put_meta(writer, readmodel::kIdentityKey, identity));
    return put_meta(writer, readmodel::kStateKey, stored::encode(stored::State{}));
  });
}

}  // namespace

Result<std::unique_ptr<LmdbReadModel>> LmdbReadModel::create(const std::filesystem::path& folder,
                                                             const ReadModelIdentity& identity) {
  CAIRN_TRY(const std::string json, stored::encode(identity));
  std::filesystem::path unfinished = folder;
  unfinished += kUnfinishedSuffix;
  CAIRN_CHECK(make_unfinished(unfinished, json));
  if (std::rename(unfinished.c_str(), folder.c_str()) != 0) {
    const int reason = errno;
    Error error = system_error("renaming the new read model to " + folder.string(), reason);
    if (reason == ENOTEMPTY || reason == EEXIST) error.code = Errc::kFailedPrecondition;
    return error;
  }
  CAIRN_CHECK(sync_folder(folder.parent_path()));
  return open(folder, Access::kReadWrite);
}

Result<std::unique_ptr<LmdbReadModel>> LmdbReadModel::open(const std::filesystem::path& folder,
                                                           Access access) {
  auto tables = TableStore::open(folder, table_options(access));
  if (!tables.ok()) return in_folder(folder, std::move(tables).error());
  std::unique_ptr<LmdbReadModel> model(new LmdbReadModel);
  model->tables_ = *std::move(tables);
  CAIRN_TRY(const TableSnapshot snapshot, model->tables_->read());
  auto identity = readmodel::read_identity(snapshot);
  if (!identity.ok()) return in_folder(folder, std::move(identity).error());
  model->identity_ = *std::move(identity);
  const auto state = readmodel::read_state(snapshot);
  if (!state.ok()) return in_folder(folder, state.error());
  if (access == Access::kReadWrite && model->tables_->used_bytes() <= kCheckedAtOpenBytesMax) {
    const Status whole = readmodel::check_all(snapshot);
    if (!whole.ok()) return in_folder(folder, whole.error());
  }
  return model;
}

Status LmdbReadModel::commit(const ReadModelChange& change) {
  CAIRN_CHECK(check_change(change));
  CAIRN_CHECK(tables_->write([&](TableWriter& writer) { return write_change(writer, change); }));
  if (++commits_ % kClearDeadReadersEveryCommits == 0) tables_->clear_dead_readers();
  return {};
}

Result<GlobalPosition> LmdbReadModel::checkpoint() {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(const stored::State state, readmodel::read_state(snapshot));
  return state.through;
}

Status LmdbReadModel::load(const std::vector<std::string_view>& keys,
                           const std::function<void(std::size_t, std::string_view)>& found) {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(TableCursor cursor, snapshot.cursor(kRows));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAIRN_TRY(const auto record, cursor.at_or_after(keys[i]));
    if (!record || record->key != keys[i]) {
      found(i, {});
      continue;
    }
    CAIRN_TRY(const std::string_view saved, readmodel::unseal(kRows, record->key, record->value));
    found(i, saved);
  }
  return {};
}

Result<std::pair<GlobalPosition, std::optional<std::string>>> LmdbReadModel::row(std::string_view key) {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(const stored::State state, readmodel::read_state(snapshot));
  CAIRN_TRY(const auto sealed, snapshot.get(kRows, key));
  if (!sealed) return std::pair(state.through, std::optional<std::string>());
  CAIRN_TRY(const std::string_view saved, readmodel::unseal(kRows, key, *sealed));
  return std::pair(state.through, std::optional<std::string>(saved));
}

Result<SavedRows> LmdbReadModel::rows(const SavedRowsQuery& query) {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(const stored::State state, readmodel::read_state(snapshot));
  SavedRows page;
  page.position = state.through;
  CAIRN_TRY(TableCursor cursor, snapshot.cursor(kRows));
  CAIRN_TRY(auto record, cursor.at_or_after(std::max(query.prefix, query.after)));
  if (record && record->key == query.after) {
    CAIRN_TRY(record, cursor.next());
  }
  std::size_t bytes = 0;
  for (; record && record->key.starts_with(query.prefix);) {
    if (page.rows.size() >= query.limit || bytes >= query.bytes_max) {
      page.next = page.rows.empty() ? query.after : page.rows.back().key;
      break;
    }
    CAIRN_TRY(const std::string_view saved, readmodel::unseal(kRows, record->key, record->value));
    page.rows.push_back({std::string(record->key), std::string(saved)});
    bytes += record->key.size() + saved.size();
    CAIRN_TRY(record, cursor.next());
  }
  return page;
}

Result<std::vector<ParkedEntry>> LmdbReadModel::parked(const std::optional<ParkedPlace>& after,
                                                       std::size_t limit) {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(TableCursor cursor, snapshot.cursor(kParked));
  const std::string start = after ? stored::place_key(*after) : std::string();
  CAIRN_TRY(auto record, cursor.at_or_after(start));
  if (record && record->key == start) {
    CAIRN_TRY(record, cursor.next());
  }
  std::vector<ParkedEntry> entries;
  while (record && entries.size() < limit) {
    CAIRN_TRY(ParkedEntry entry, to_entry(record->key, record->value));
    entries.push_back(std::move(entry));
    CAIRN_TRY(record, cursor.next());
  }
  return entries;
}

Result<std::optional<ParkedEntry>> LmdbReadModel::find_parked(const ParkedPlace& place) {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  const std::string key = stored::place_key(place);
  CAIRN_TRY(const auto sealed, snapshot.get(kParked, key));
  if (!sealed) return std::optional<ParkedEntry>();
  CAIRN_TRY(ParkedEntry entry, to_entry(key, *sealed));
  return std::optional(std::move(entry));
}

Result<std::vector<GlobalPosition>> LmdbReadModel::waiting(const ParkedPlace& place, GlobalPosition from,
                                                           std::size_t limit) {
  std::vector<GlobalPosition> positions;
  if (!check_place(place).ok()) return positions;
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(TableCursor cursor, snapshot.cursor(kWaiting));
  const std::string place_key = stored::place_key(place);
  CAIRN_TRY(auto record, cursor.at_or_after(stored::waiting_key(place_key, from)));
  while (record && positions.size() < limit) {
    const auto waiting = stored::decode_waiting_key(record->key);
    if (!waiting || waiting->place_key != place_key) break;
    CAIRN_CHECK(readmodel::unseal(kWaiting, record->key, record->value));
    positions.push_back(waiting->position);
    CAIRN_TRY(record, cursor.next());
  }
  return positions;
}

Result<ReadModelSize> LmdbReadModel::size() {
  CAIRN_TRY(const TableSnapshot snapshot, tables_->read());
  CAIRN_TRY(const stored::State state, readmodel::read_state(snapshot));
  CAIRN_TRY(const std::uint64_t passed_over, readmodel::read_passed_over(snapshot));
  return ReadModelSize{.rows = state.rows, .passed_over = passed_over, .bytes = tables_->used_bytes()};
}

}  // namespace cairn

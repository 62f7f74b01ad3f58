#include "eventstore/tables/table_writer.h"

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn {

// LMDB frees the cursor with the transaction.
struct TableWriter::Table {
  MDB_dbi handle = 0;
  MDB_cursor* cursor = nullptr;
  std::string end;  // the greatest key of the table
};

TableWriter::TableWriter(lmdb::WriteTxn& txn, const std::vector<unsigned>& handles, const std::string& name)
    : txn_(txn), name_(name), tables_(handles.size()) {
  for (std::size_t i = 0; i < handles.size(); ++i) tables_[i].handle = handles[i];
}

TableWriter::~TableWriter() = default;

Error TableWriter::failed(int code) {
  if (code_ == 0) code_ = code;
  return lmdb::lmdb_error("writing " + name_, code);
}

Result<TableWriter::Table*> TableWriter::open(TableId id) {
  CAIRN_ASSERT(id.index < tables_.size(), id.index);
  if (code_ != 0) return failed(code_);
  Table& table = tables_[id.index];
  if (table.cursor != nullptr) return &table;
  int code = mdb_cursor_open(txn_.get(), table.handle, &table.cursor);
  if (code != 0) return failed(code);
  MDB_val key{};
  MDB_val value{};
  code = mdb_cursor_get(table.cursor, &key, &value, MDB_LAST);
  if (code != 0 && code != MDB_NOTFOUND) return failed(code);
  if (code == 0) table.end = lmdb::to_view(key);
  return &table;
}

Result<std::optional<std::string_view>> TableWriter::get(TableId id, std::string_view key) {
  CAIRN_TRY(Table* const table, open(id));
  if (key.empty() || key.size() > kTableKeyBytesMax) return std::optional<std::string_view>();
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value{};
  const int code = mdb_cursor_get(table->cursor, &key_val, &value, MDB_SET);
  if (code == MDB_NOTFOUND) return std::optional<std::string_view>();
  if (code != 0) return failed(code);
  return std::optional(lmdb::to_view(value));
}

Result<bool> TableWriter::put(TableId id, std::string_view key, std::string_view value) {
  CAIRN_TRY(Table* const table, open(id));
  if (key.empty() || key.size() > kTableKeyBytesMax) {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("a key of {} bytes; it may have 1 to {}", key.size(), kTableKeyBytesMax));
  }
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value_val = lmdb::to_val(value);
  // LMDB splits a full page in half. With MDB_APPEND it starts a new page instead, so ascending keys fill
  // theirs.
  const bool behind_all = key > table->end;
  int code = mdb_cursor_put(table->cursor, &key_val, &value_val, behind_all ? MDB_APPEND : MDB_NOOVERWRITE);
  if (behind_all && code == 0) table->end = key;
  const bool is_new = code == 0;
  if (code == MDB_KEYEXIST && !behind_all) {
    value_val = lmdb::to_val(value);  // LMDB set it to the old value, and the cursor is on that record
    code = mdb_cursor_put(table->cursor, &key_val, &value_val, MDB_CURRENT);
  }
  if (code != 0) return failed(code);
  return is_new;
}

Result<bool> TableWriter::erase(TableId id, std::string_view key) {
  CAIRN_TRY(const auto found, get(id, key));
  if (!found) return false;
  const int code = mdb_cursor_del(tables_[id.index].cursor, 0);
  if (code != 0) return failed(code);
  return true;
}

Result<std::uint64_t> TableWriter::erase_range(TableId id, std::string_view from, std::string_view until) {
  CAIRN_TRY(Table* const table, open(id));
  for (std::uint64_t erased = 0;; ++erased) {
    MDB_val key = lmdb::to_val(from);
    MDB_val value{};
    int code = mdb_cursor_get(table->cursor, &key, &value, from.empty() ? MDB_FIRST : MDB_SET_RANGE);
    if (code == MDB_NOTFOUND) return erased;
    if (code == 0 && lmdb::to_view(key) >= until) return erased;
    if (code == 0) code = mdb_cursor_del(table->cursor, 0);
    if (code != 0) return failed(code);
  }
}

}  // namespace cairn

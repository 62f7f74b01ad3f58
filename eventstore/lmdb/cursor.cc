#include "eventstore/lmdb/cursor.h"

#include <utility>

#include "eventstore/lmdb/file_check.h"

namespace cairn::lmdb {
namespace {

Error outside(const Env& env) {
  return make_error(Errc::kCorruption, env.name() + " has a record beyond the end of its file");
}

}  // namespace

Result<Cursor> Cursor::open(const ReadTxn& txn, MDB_dbi table) {
  MDB_cursor* cursor = nullptr;
  const int code = mdb_cursor_open(txn.get(), table, &cursor);
  if (code != 0) return lmdb_error("reading " + txn.env().name(), code);
  return Cursor(&txn.env(), cursor);
}

Result<Cursor> Cursor::open(MDB_txn* write_txn, MDB_dbi table) {
  MDB_cursor* cursor = nullptr;
  const int code = mdb_cursor_open(write_txn, table, &cursor);
  if (code != 0) return lmdb_error("opening a cursor", code);
  return Cursor(nullptr, cursor);
}

Cursor::Cursor(Cursor&& other) noexcept : env_(other.env_), cursor_(std::exchange(other.cursor_, nullptr)) {}
Cursor::~Cursor() {
  if (cursor_ != nullptr) mdb_cursor_close(cursor_);
}

Result<std::optional<Record>> Cursor::at_or_before(std::string_view key) {
  CAIRN_TRY(const auto found, move(MDB_SET_RANGE, key));
  if (!found) return move(MDB_LAST, {});
  if (found->key == key) return found;
  return move(MDB_PREV, {});
}

Result<std::optional<Record>> Cursor::move(MDB_cursor_op op, std::string_view key) {
  MDB_val found = to_val(key);
  MDB_val value{};
  int code = 0;
  try {
    code = mdb_cursor_get(cursor_, &found, &value, op);
  } catch (const BrokenStructure&) {
    code = MDB_CORRUPTED;
  }
  if (code == MDB_NOTFOUND) return std::optional<Record>();
  if (code != 0)
    return lmdb_error("reading " + (env_ != nullptr ? env_->name() : std::string("the index")), code);
  if (env_ != nullptr && (!env_->holds(found) || !env_->holds(value))) return outside(*env_);
  return std::optional(Record{to_view(found), to_view(value)});
}

Result<std::optional<std::string_view>> get(const ReadTxn& txn, MDB_dbi table, std::string_view key) {
  MDB_val key_val = to_val(key);
  MDB_val value{};
  int code = 0;
  try {
    code = mdb_get(txn.get(), table, &key_val, &value);
  } catch (const BrokenStructure&) {
    code = MDB_CORRUPTED;
  }
  if (code == MDB_NOTFOUND) return std::optional<std::string_view>();
  if (code != 0) return lmdb_error("reading " + txn.env().name(), code);
  if (!txn.env().holds(value)) return outside(txn.env());
  return std::optional(to_view(value));
}

}  // namespace cairn::lmdb

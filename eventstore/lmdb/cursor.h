#pragma once

#include <optional>
#include <string_view>

#include "eventstore/lmdb/lmdb_env.h"

namespace cairn::lmdb {

struct Record {
  std::string_view key;
  std::string_view value;
};

// Iterates over one table. A record is valid until the cursor moves or its transaction ends. Not thread-safe.
// Every record is checked to be inside the file; damage that LMDB detects is kCorruption.
class Cursor {
 public:
  static Result<Cursor> open(const ReadTxn& txn, MDB_dbi table);
  // In a write transaction records are not checked to be inside the file.
  static Result<Cursor> open(MDB_txn* write_txn, MDB_dbi table);
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor();

  Result<std::optional<Record>> first() { return move(MDB_FIRST, {}); }
  Result<std::optional<Record>> last() { return move(MDB_LAST, {}); }
  Result<std::optional<Record>> next() { return move(MDB_NEXT, {}); }
  Result<std::optional<Record>> previous() { return move(MDB_PREV, {}); }
  Result<std::optional<Record>> at_or_after(std::string_view key) { return move(MDB_SET_RANGE, key); }
  Result<std::optional<Record>> at_or_before(std::string_view key);

 private:
  Cursor(const Env* env, MDB_cursor* cursor) : env_(env), cursor_(cursor) {}
  Result<std::optional<Record>> move(MDB_cursor_op op, std::string_view key);

  const Env* env_;
  MDB_cursor* cursor_;
};

// The value of `key`, valid until the transaction ends; nullopt if there is none.
Result<std::optional<std::string_view>> get(const ReadTxn& txn, MDB_dbi table, std::string_view key);

}  // namespace cairn::lmdb

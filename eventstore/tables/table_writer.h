#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/tables/table_id.h"

namespace cairn {

namespace lmdb {
class WriteTxn;
}  // namespace lmdb

// The write transaction of one TableStore::write(), given to its callback and valid until the callback
// returns. Not thread-safe. After the first failure every further call fails with the same code, and write()
// commits nothing.
class TableWriter {
 public:
  // The value as of this transaction, or nullopt. The view is valid until the next change.
  Result<std::optional<std::string_view>> get(TableId table, std::string_view key);

  // Inserts or replaces a record; true if it is new. Keys in ascending order are the fastest, and keys above
  // the last one of the table fill its pages completely. kInvalidArgument: the key is empty or longer than
  // kTableKeyBytesMax.
  Result<bool> put(TableId table, std::string_view key, std::string_view value);

  // True if there was such a record.
  Result<bool> erase(TableId table, std::string_view key);

  // Erases the records with from <= key < until, and returns their number.
  Result<std::uint64_t> erase_range(TableId table, std::string_view from, std::string_view until);

 private:
  friend class TableStore;
  struct Table;
  TableWriter(lmdb::WriteTxn& txn, const std::vector<unsigned>& handles, const std::string& name);
  TableWriter(const TableWriter&) = delete;
  ~TableWriter();
  Result<Table*> open(TableId table);
  Error failed(int code);

  lmdb::WriteTxn& txn_;
  const std::string& name_;
  std::vector<Table> tables_;
  int code_ = 0;  // LMDB's code of the first failure
};

}  // namespace cairn

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/tables/table_id.h"
#include "eventstore/tables/table_writer.h"

namespace cairn {

namespace lmdb {
class Cursor;
class Env;
class ReadTxn;
}  // namespace lmdb

struct TableRecord {
  std::string_view key;
  std::string_view value;
};

// Iterates over one table of a snapshot in byte order of the keys; nullopt after the last record. A record is
// valid until the cursor moves. Keys that ascend from call to call are found fastest. Not thread-safe, and
// must be destroyed before its snapshot. Fails with kCorruption where the structure of the file is damaged.
class TableCursor {
 public:
  TableCursor(TableCursor&& other) noexcept;
  TableCursor& operator=(TableCursor&&) = delete;
  ~TableCursor();

  Result<std::optional<TableRecord>> at_or_after(std::string_view key);  // "" = the first
  Result<std::optional<TableRecord>> next();

 private:
  friend class TableSnapshot;
  explicit TableCursor(lmdb::Cursor cursor);
  std::unique_ptr<lmdb::Cursor> cursor_;
};

// A consistent snapshot of all tables, as of one commit. Keep it short: while it is open LMDB cannot reuse
// freed pages, and a commit that needs a larger map waits. One thread at a time.
class TableSnapshot {
 public:
  TableSnapshot(TableSnapshot&& other) noexcept;
  TableSnapshot& operator=(TableSnapshot&&) = delete;
  ~TableSnapshot();

  // The value, valid as long as the snapshot; nullopt if there is no such record.
  Result<std::optional<std::string_view>> get(TableId table, std::string_view key) const;
  Result<TableCursor> cursor(TableId table) const;

 private:
  friend class TableStore;
  TableSnapshot(lmdb::ReadTxn txn, const std::vector<unsigned>& handles);
  std::unique_ptr<lmdb::ReadTxn> txn_;
  const std::vector<unsigned>* handles_;
};

struct TableStoreOptions {
  enum class Access { kReadWrite, kReadOnly };
  std::vector<std::string> tables;
  Access access = Access::kReadWrite;
  std::uint64_t map_bytes = 1ull << 30;  // initial address space; the map doubles when it is full
  unsigned readers_max = 256;            // concurrent snapshots; read() waits beyond this
};

// Key-value tables in a folder of their own, changed by atomic commits. Thread-safe. A process opens a folder
// once; other processes may read it at the same time.
class TableStore {
 public:
  using Access = TableStoreOptions::Access;

  // Makes the folder with empty tables, durably. Tables that exist already are kept. REQUIRES: kReadWrite.
  static Result<std::unique_ptr<TableStore>> create(const std::filesystem::path& folder,
                                                    const TableStoreOptions& options);

  // kNotFound: there is no store. kCorruption: the file was truncated, its structure is damaged or a table is
  // missing. With kReadWrite all pages are checked first; of a file over 256 MiB only those that searches and
  // commits go through.
  static Result<std::unique_ptr<TableStore>> open(const std::filesystem::path& folder,
                                                  const TableStoreOptions& options);
  ~TableStore();
  TableStore(const TableStore&) = delete;
  TableStore& operator=(const TableStore&) = delete;

  Result<TableSnapshot> read() const;

  // Runs `fill` in a write transaction and commits it durably. Callers take turns. `fill` runs again if the
  // map was too small, so it must be repeatable. If `fill` fails, nothing changes and its error is returned.
  // kDiskFull: nothing changed. kOutcomeUnknown: the last step of the commit failed; only opening the store
  // again shows whether it took effect, and every other call fails until then.
  // REQUIRES: the calling thread holds no snapshot.
  Status write(const std::function<Status(TableWriter&)>& fill) CAIRN_EXCLUDES(write_mutex_);

  std::uint64_t used_bytes() const;
  std::uint64_t map_bytes() const;

  // Frees the pages held by readers of processes that died. Call it from time to time if there are many
  // commits.
  void clear_dead_readers();

 private:
  TableStore() = default;
  static Result<std::unique_ptr<TableStore>> attach(const std::filesystem::path& folder,
                                                    const TableStoreOptions& options, bool make);
  Error failed_write(int code) CAIRN_REQUIRES(write_mutex_);

  std::filesystem::path folder_;
  Access access_ = Access::kReadWrite;
  std::unique_ptr<lmdb::Env> env_;
  std::vector<unsigned> handles_;
  Mutex write_mutex_;  // held for the whole of write(): LMDB has one write transaction at a time
};

}  // namespace cairn

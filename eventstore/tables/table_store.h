#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn {

namespace lmdb {
class Cursor;
class Env;
class ReadTxn;
class WriteTxn;
}  // namespace lmdb

// A table, by its place in TableStoreOptions::tables.
struct TableId {
  unsigned index = 0;
};

// Longer keys cannot be put, and are never found.
inline constexpr std::size_t kTableKeyBytesMax = 511;

struct TableRecord {
  std::string_view key;
  std::string_view value;
};

// Walks one table of a snapshot, in the order of the keys' bytes; nullopt behind the last record. Records
// live until the cursor moves. Keys that rise from call to call are found the fastest. Belongs to one thread,
// and ends before its snapshot. Fails with kCorruption where the structure of the file is damaged.
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

// All tables as one commit left them. Short: while it lives the file cannot use its free space again, and a
// commit that needs a larger map waits. Belongs to one thread at a time.
class TableSnapshot {
 public:
  TableSnapshot(TableSnapshot&& other) noexcept;
  TableSnapshot& operator=(TableSnapshot&&) = delete;
  ~TableSnapshot();

  // The value lives as long as the snapshot; nullopt where there is none.
  Result<std::optional<std::string_view>> get(TableId table, std::string_view key) const;
  Result<TableCursor> cursor(TableId table) const;

 private:
  friend class TableStore;
  TableSnapshot(lmdb::ReadTxn txn, const std::vector<unsigned>& handles);
  std::unique_ptr<lmdb::ReadTxn> txn_;
  const std::vector<unsigned>* handles_;
};

// What is to be written, while TableStore::write() gathers it. After the first failure all that follows fails
// too.
class TableWriter {
 public:
  // As the table is with what was written so far. The value lives until the next change.
  Result<std::optional<std::string_view>> get(TableId table, std::string_view key);

  // Makes or replaces a record; true when it is new. Rising keys are the fastest, and behind the last key of
  // the table they fill its pages. kInvalidArgument: the key is empty or too long.
  Result<bool> put(TableId table, std::string_view key, std::string_view value);

  // True when there was one.
  Result<bool> erase(TableId table, std::string_view key);

  // Erases the records from `from` on and before `until`, and says how many there were.
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
  int code_ = 0;  // of the first failure
};

struct TableStoreOptions {
  enum class Access { kReadWrite, kReadOnly };
  std::vector<std::string> tables;
  Access access = Access::kReadWrite;
  std::uint64_t map_bytes = 1ull << 30;  // of address space, to begin with; it grows by itself
  unsigned readers_max = 256;            // snapshots at the same time; further ones wait
};

// Tables of keys and values in a folder of their own, changed by commits that are there wholly or not at all.
// Any thread. A process opens a folder once; others may read beside it.
class TableStore {
 public:
  using Access = TableStoreOptions::Access;

  // Makes the folder, with empty tables, durably; what stands in the folder's name is up to the caller.
  // Whatever is there already stays. REQUIRES: kReadWrite.
  static Result<std::unique_ptr<TableStore>> create(const std::filesystem::path& folder,
                                                    const TableStoreOptions& options);

  // kNotFound: there is none. kCorruption: the file was cut, its structure is damaged or a table is missing.
  // To write, all pages are looked over first; those of a large file only as far as searches go over them.
  static Result<std::unique_ptr<TableStore>> open(const std::filesystem::path& folder,
                                                  const TableStoreOptions& options);
  ~TableStore();
  TableStore(const TableStore&) = delete;
  TableStore& operator=(const TableStore&) = delete;

  Result<TableSnapshot> read() const;

  // Commits what `fill` writes, durably; one after the other. `fill` may be called again, when the map was
  // too small for it. If it fails nothing is changed, and its error is returned. kDiskFull: nothing was
  // changed either. kOutcomeUnknown: the disk refused in the midst of a commit, and only opening it anew
  // tells which it is; everything else fails until then. REQUIRES: this thread has no snapshot.
  Status write(const std::function<Status(TableWriter&)>& fill);

  std::uint64_t used_bytes() const;
  std::uint64_t map_bytes() const;

  // Readers that were killed hold on to free space; this lets go of it. At times, for whoever commits a lot.
  void clear_dead_readers();

 private:
  TableStore() = default;
  static Result<std::unique_ptr<TableStore>> attach(const std::filesystem::path& folder,
                                                    const TableStoreOptions& options, bool make);
  Error failed_write(int code);

  std::filesystem::path folder_;
  Access access_ = Access::kReadWrite;
  std::unique_ptr<lmdb::Env> env_;
  std::vector<unsigned> handles_;
  std::mutex write_mutex_;
};

}  // namespace cairn

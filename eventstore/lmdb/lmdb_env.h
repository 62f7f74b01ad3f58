#pragma once

#include <lmdb.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"

namespace cairn::lmdb {

class Env;

// A read transaction from the environment's pool; the destructor returns it. Keep it short: while one is
// open, LMDB cannot reuse pages that writers free, and the file grows. One thread at a time.
class ReadTxn {
 public:
  ReadTxn(ReadTxn&& other) noexcept;
  ReadTxn& operator=(ReadTxn&&) = delete;
  ~ReadTxn();

  MDB_txn* get() const { return txn_; }
  Env& env() const { return *env_; }

 private:
  friend class Env;
  ReadTxn(Env* env, MDB_txn* txn) : env_(env), txn_(txn) {}

  Env* env_;
  MDB_txn* txn_;
};

// The write transaction, of which an environment has one at a time. The destructor aborts it unless it was
// committed.
class WriteTxn {
 public:
  WriteTxn(WriteTxn&& other) noexcept;
  WriteTxn& operator=(WriteTxn&&) = delete;
  ~WriteTxn();

  MDB_txn* get() const { return txn_; }

  // Returns LMDB's code unchanged, because what a failed commit means depends on the caller.
  // REQUIRES: not committed before.
  int commit();

 private:
  friend class Env;
  WriteTxn(Env* env, MDB_txn* txn) : env_(env), txn_(txn) {}

  Env* env_;
  MDB_txn* txn_;
};

enum class Access { kReadWrite, kReadOnly };

// How an environment is read, which decides what the kernel reads ahead on a page fault.
enum class ReadPattern {
  kRandom,  // nothing: a fault reads one page. Scans call Env::read_ahead()
  kScan,    // the pages around it: for programs that read all of it, such as verify and backup
};

// What it means that an environment with other tables lacks a table.
enum class Lack {
  kFail,   // it was lost
  kMake,   // the environment is older than the table, which is made; with kReadOnly the handle is kNoTable
  kLeave,  // only older environments have it; otherwise the handle is kNoTable
};

// A named table, and where to store its handle. A null name is the unnamed table.
struct TableHandle {
  const char* name;
  MDB_dbi* handle;
  Lack lack = Lack::kFail;
};

inline constexpr MDB_dbi kNoTable = ~MDB_dbi{0};

enum class Missing { kMake, kFail };  // what to do about a missing table

struct EnvOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned tables_max = 0;
  unsigned readers_max = 1'000;
  // Slots for the readers of other processes (verify, a projection daemon). The process that opens an
  // environment first makes the table of readers for all of them, so the sum should be the same everywhere.
  unsigned readers_beside = 256;
  Access access = Access::kReadWrite;
  ReadPattern reads = ReadPattern::kRandom;
};

// One LMDB environment (a folder with data.mdb and lock.mdb). A process may open it only once. Thread-safe.
class Env {
 public:
  // Opens the environment, or makes it. Checks the file first, because LMDB takes an empty file for a new
  // environment and crashes on a truncated one. Fails with kCorruption for a damaged file.
  static Result<std::unique_ptr<Env>> open(const std::filesystem::path& folder, const EnvOptions& options);
  ~Env();
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  // Opens tables. In an environment without tables it makes them, unless `missing` is kFail or the
  // environment is read-only. In one with tables a missing table is kCorruption, unless its `lack` says
  // otherwise. REQUIRES: no other thread uses the environment yet.
  Status open_tables(std::span<const TableHandle> tables, Missing missing = Missing::kMake);

  // Waits while readers_max transactions are open or the map is being resized; but does not wait if this
  // thread has a read transaction open already, which would be a deadlock.
  Result<ReadTxn> begin_read() CAIRN_EXCLUDES(mutex_);

  // REQUIRES: one caller at a time; no write transaction is open.
  Result<WriteTxn> begin_write();

  // Doubles the map. Waits until all read transactions of this process have ended.
  // REQUIRES: the caller has no transaction open, and no write transaction is open.
  Status grow() CAIRN_EXCLUDES(mutex_);

  // Frees the slots of readers whose process died.
  void clear_dead_readers();

  std::uint64_t used_bytes() const CAIRN_EXCLUDES(mutex_);
  std::uint64_t map_bytes() const CAIRN_EXCLUDES(mutex_);
  unsigned open_readers() const CAIRN_EXCLUDES(mutex_);
  int file_descriptor() const;
  const std::string& name() const { return name_; }

  // Asks the kernel to read the `bytes` of the file that follow the address `at` into the page cache, and does
  // not wait for them. Cheap when they are cached. REQUIRES: a transaction is open, and `at` is in a value
  // that it returned.
  void read_ahead(const std::byte* at, std::uint64_t bytes) const;

  // Whether the bytes of `value` are inside the pages that this environment uses. A damaged node can claim
  // any size, and reading beyond the end of the file would raise SIGBUS.
  // REQUIRES: the caller has a transaction open.
  bool holds(const MDB_val& value) const;

 private:
  friend class ReadTxn;
  friend class WriteTxn;
  Env() = default;
  void end_read(MDB_txn* txn) CAIRN_EXCLUDES(mutex_);
  void lengthen_file() const CAIRN_EXCLUDES(mutex_);
  // REQUIRES: mutex_ is held, or a transaction of the caller keeps the map.
  MDB_envinfo info() const;
  Status resize(std::uint64_t map_bytes) CAIRN_EXCLUDES(mutex_);
  Status find_map();

  MDB_env* env_ = nullptr;
  std::string name_;
  unsigned readers_max_ = 0;
  Access access_ = Access::kReadWrite;
  std::atomic<const std::byte*> map_base_ = nullptr;
  bool writing_ = false;  // a write transaction is open; used by the thread that writes

  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<MDB_txn*> idle_
      CAIRN_GUARDED_BY(mutex_);  // pooled read transactions, which keep their reader slots
  unsigned open_readers_ CAIRN_GUARDED_BY(mutex_) = 0;
  bool resizing_ CAIRN_GUARDED_BY(mutex_) = false;
};

// An error with LMDB's message for `code`: kDiskFull, kCorruption, kFailedPrecondition (restart needed) or
// kIo.
Error lmdb_error(std::string_view what, int code);

// Translates the code of a failed write in `folder`: LMDB returns EIO for a short write, which a full disk
// causes. Returns ENOSPC in that case, and `code` in all others.
int meant_code(int code, const std::filesystem::path& folder);

inline MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view to_view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

}  // namespace cairn::lmdb

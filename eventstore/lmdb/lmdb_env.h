#pragma once

#include <lmdb.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::lmdb {

class Env;

// A read transaction borrowed from its environment, given back by the destructor. Short: while one is open,
// pages freed by writers cannot be used again and the file grows. Belongs to one thread at a time.
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

// The one write transaction; aborted by the destructor unless committed.
class WriteTxn {
 public:
  WriteTxn(WriteTxn&& other) noexcept;
  WriteTxn& operator=(WriteTxn&&) = delete;
  ~WriteTxn();

  MDB_txn* get() const { return txn_; }

  // LMDB's answer, unchanged: what a failed commit means is for the caller to say.
  int commit();

 private:
  friend class Env;
  WriteTxn(Env* env, MDB_txn* txn) : env_(env), txn_(txn) {}

  Env* env_;
  MDB_txn* txn_;
};

enum class Access { kReadWrite, kReadOnly };

// A named table, and where its handle goes. A null name is the unnamed table.
struct TableHandle {
  const char* name;
  MDB_dbi* handle;
  bool may_lack = false;  // older environments have none. Read-only the handle is then kNoTable
};

inline constexpr MDB_dbi kNoTable = ~MDB_dbi{0};

enum class Missing { kMake, kFail };  // what to do about a table that is not there

struct EnvOptions {
  std::uint64_t map_bytes = 64ull << 30;
  unsigned tables_max = 0;
  unsigned readers_max = 1'000;
  // Slots for the readers of other processes (verify, a projection daemon). Whoever opens an environment
  // first makes the table of readers for all, so the sum should be alike everywhere.
  unsigned readers_beside = 256;
  Access access = Access::kReadWrite;
};

// One LMDB environment (a folder with data.mdb and lock.mdb), opened once per process. Any thread.
class Env {
 public:
  // Opens, or makes, the environment. The file is looked over first, because LMDB takes an empty file for a
  // new store and dies of a short one. Fails with kCorruption for a damaged file.
  static Result<std::unique_ptr<Env>> open(const std::filesystem::path& folder, const EnvOptions& options);
  ~Env();
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;

  // Opens tables, making them in an environment that has none, unless it is read-only or they must not be
  // made. Where others are, a table that is missing was lost, and is made only if it may lack. Call before
  // other threads use the environment.
  Status open_tables(std::span<const TableHandle> tables, Missing missing = Missing::kMake);

  // Waits while readers_max transactions are open or the map is being resized, unless this thread has one
  // open already.
  Result<ReadTxn> begin_read();

  // REQUIRES: one caller at a time.
  Result<WriteTxn> begin_write();

  // Makes the map at least twice as large, once the read transactions of this process have ended.
  // REQUIRES: the caller has no transaction open.
  Status grow();

  // Frees the slots of readers whose process died.
  void clear_dead_readers();

  std::uint64_t used_bytes() const;
  std::uint64_t map_bytes() const;
  unsigned open_readers() const;
  int file_descriptor() const;
  const std::string& name() const { return name_; }

  // Whether [data, data + size) lies inside the pages this environment uses. A damaged node can claim any
  // size; looking beyond the file would be a bus error.
  bool holds(const MDB_val& value) const;

 private:
  friend class ReadTxn;
  friend class WriteTxn;
  Env() = default;
  void end_read(MDB_txn* txn);
  void lengthen_file() const;
  Status resize(std::uint64_t map_bytes);
  Status find_map();

  MDB_env* env_ = nullptr;
  std::string name_;
  unsigned readers_max_ = 0;
  Access access_ = Access::kReadWrite;
  std::atomic<const std::byte*> map_base_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<MDB_txn*> idle_;  // reset read transactions, their reader slots kept
  unsigned open_readers_ = 0;
  bool writing_ = false;
  bool resizing_ = false;
};

// An error with LMDB's words for `code`: kDiskFull, kCorruption or kIo.
Error lmdb_error(std::string_view what, int code);

// What LMDB means by `code`, the answer to a write in `folder`: it says EIO when a large write ended early,
// and only a disk that is full does that.
int meant_code(int code, const std::filesystem::path& folder);

inline MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view to_view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

}  // namespace cairn::lmdb

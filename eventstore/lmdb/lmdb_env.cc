#include "eventstore/lmdb/lmdb_env.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/file.h"
#include "eventstore/lmdb/file_check.h"

namespace cairn::lmdb {
namespace {

// The environments in which this thread has read transactions open, one entry per transaction.
thread_local std::vector<const Env*> envs_read_by_thread;

// LMDB calls this when one of its assertions fails, and aborts the process if it returns. The exception
// unwinds through LMDB to the caller, which reports corruption.
void on_lmdb_assertion(MDB_env*, const char* message) { throw BrokenStructure{message}; }

std::uint64_t used_bytes_of(const MDB_envinfo& info) {
  return (std::uint64_t{info.me_last_pgno} + 1) * kPageBytes;
}

bool has_no_tables(MDB_txn* txn) {
  MDB_dbi unnamed = 0;
  MDB_stat stat{};
  return mdb_dbi_open(txn, nullptr, 0, &unnamed) == 0 && mdb_stat(txn, unnamed, &stat) == 0 &&
         stat.ms_entries == 0;
}

// A device, as /proc/self/maps writes it.
std::string device_name(dev_t device) {
  char text[32];
  std::snprintf(text, sizeof text, "%02x:%02x", major(device), minor(device));
  return text;
}

// The current name of an open file, as /proc/self/maps writes it.
std::string mapped_name(int descriptor) {
  std::error_code none;
  const std::string name =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), none).string();
  std::string written;
  for (const char c : name) {
    if (c == '\n') {
      written += "\\012";
    } else {
      written += c;
    }
  }
  return written;
}

// LMDB writes to lock.mdb through a memory map. On a full disk a page that is not allocated would raise
// SIGBUS, so all pages are allocated first. The file is slightly larger than LMDB asks for, which gives a few
// more slots.
Status reserve_lock_file(const std::filesystem::path& folder, unsigned readers) {
  constexpr std::uint64_t kHeaderBytes = 4096, kSlotBytes = 64;
  const std::filesystem::path file = folder / "lock.mdb";
  CAIRN_TRY(const File handle, File::open(file, O_RDWR | O_CREAT));
  const auto bytes = static_cast<off_t>(kHeaderBytes + readers * kSlotBytes);
  CAIRN_TRY(const std::uint64_t there, file_size(handle.descriptor(), file));
  if (fallocate(handle.descriptor(), 0, 0, bytes) == 0 || errno == EOPNOTSUPP) return {};
  // A file that is large enough was allocated earlier: a store on a full disk can still be opened for
  // reading.
  const int reason = errno;
  if (there >= static_cast<std::uint64_t>(bytes)) return {};
  return system_error("reserving " + file.string(), reason);
}

}  // namespace

Error lmdb_error(std::string_view what, int code) {
  const std::string message = std::string(what) + ": " + mdb_strerror(code);
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return make_error(Errc::kDiskFull, message);
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_CURSOR_FULL:
    case MDB_BAD_TXN:
      return make_error(Errc::kCorruption, message);
    // A commit failed in its last step; what is on disk is known only after the environment is opened again.
    case MDB_PANIC:
      return make_error(Errc::kFailedPrecondition, message);
    default:
      return make_error(Errc::kIo, message);
  }
}

int meant_code(int code, const std::filesystem::path& folder) {
  constexpr std::uint64_t kFullBelowBytes = 1u << 20;
  struct statvfs disk {};
  if (code != EIO || statvfs(folder.c_str(), &disk) != 0) return code;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize < kFullBelowBytes ? ENOSPC : code;
}

ReadTxn::ReadTxn(ReadTxn&& other) noexcept : env_(other.env_), txn_(std::exchange(other.txn_, nullptr)) {}
ReadTxn::~ReadTxn() {
  if (txn_ != nullptr) env_->end_read(txn_);
}

WriteTxn::WriteTxn(WriteTxn&& other) noexcept : env_(other.env_), txn_(std::exchange(other.txn_, nullptr)) {}

WriteTxn::~WriteTxn() {
  if (txn_ == nullptr) return;
  mdb_txn_abort(txn_);
  env_->writing_ = false;
}

int WriteTxn::commit() {
  CAIRN_ASSERT(txn_ != nullptr, env_->name());
  const int code = mdb_txn_commit(std::exchange(txn_, nullptr));
  env_->writing_ = false;
  if (code == 0) env_->lengthen_file();
  return code;
}

Result<std::unique_ptr<Env>> Env::open(const std::filesystem::path& folder, const EnvOptions& options) {
  const std::filesystem::path file = folder / "data.mdb";
  const unsigned slots = options.readers_max + options.readers_beside;
  std::uint64_t map_bytes = options.map_bytes;
  if (std::filesystem::exists(file)) {
    CAIRN_TRY(const FileFacts facts, check_file(file));
    while (map_bytes < facts.used_bytes + facts.used_bytes / 4) map_bytes *= 2;
  }

  if (options.access == Access::kReadWrite) CAIRN_CHECK(reserve_lock_file(folder, slots));
  std::unique_ptr<Env> env(new Env);
  env->name_ = folder.string();
  env->readers_max_ = options.readers_max;
  env->access_ = options.access;
  int code = mdb_env_create(&env->env_);
  if (code == 0) code = mdb_env_set_mapsize(env->env_, map_bytes);
  if (code == 0) code = mdb_env_set_maxreaders(env->env_, slots);
  if (code == 0 && options.tables_max > 0) code = mdb_env_set_maxdbs(env->env_, options.tables_max);
  if (code == 0) code = mdb_env_set_assert(env->env_, on_lmdb_assertion);
  if (code != 0) return lmdb_error("preparing " + env->name_, code);

  // NOTLS: a read transaction belongs to its object, not to the thread that began it.
  // NORDAHEAD is MADV_RANDOM: the kernel reads one page on a fault, also in a sequential scan. Without it a
  // read of one stream would load some 30 pages around each page that it needs.
  unsigned flags = MDB_NOTLS;
  if (options.reads == ReadPattern::kRandom) flags |= MDB_NORDAHEAD;
  if (options.access == Access::kReadOnly) flags |= MDB_RDONLY;
  code = mdb_env_open(env->env_, env->name_.c_str(), flags, 0600);
  if (code != 0) return lmdb_error("opening " + env->name_, meant_code(code, folder));
  CAIRN_CHECK(env->find_map());
  if (options.access == Access::kReadWrite) {
    env->clear_dead_readers();
    // A killed process may have left a commit in the page cache that is not on disk. Everything served from
    // now on must be durable, so it is synced before the first read.
    code = mdb_env_sync(env->env_, 1);
    if (code != 0) return lmdb_error("syncing " + env->name_, code);
  }
  return env;
}

Env::~Env() {
  for (MDB_txn* const txn : idle_) mdb_txn_abort(txn);
  if (env_ != nullptr) mdb_env_close(env_);
}

Status Env::open_tables(std::span<const TableHandle> tables, Missing missing) {
  const bool writable = access_ == Access::kReadWrite;
  // A handle stays valid only if its transaction is committed, even a read-only one.
  MDB_txn* txn = nullptr;
  int code = mdb_txn_begin(env_, nullptr, writable ? 0 : MDB_RDONLY, &txn);
  while (code == MDB_MAP_RESIZED) {
    CAIRN_CHECK(resize(0));
    code = mdb_txn_begin(env_, nullptr, writable ? 0 : MDB_RDONLY, &txn);
  }
  if (code != 0) return lmdb_error("opening the tables of " + name_, code);
  try {
    const bool may_make = writable && missing == Missing::kMake;
    const bool empty = has_no_tables(txn);
    for (const TableHandle& table : tables) {
      const bool make = may_make && table.name != nullptr && table.lack != Lack::kLeave &&
                        (empty || table.lack == Lack::kMake);
      const unsigned flags = make ? MDB_CREATE : 0;
      code = mdb_dbi_open(txn, table.name, flags, table.handle);
      if (code == MDB_NOTFOUND && table.lack != Lack::kFail) {
        *table.handle = kNoTable;
        code = 0;
      }
      if (code != 0) break;
    }
  } catch (const BrokenStructure&) {
    code = MDB_CORRUPTED;
  }
  if (code == 0) {
    code = mdb_txn_commit(txn);
  } else {
    mdb_txn_abort(txn);
  }
  if (code == MDB_NOTFOUND) return make_error(Errc::kCorruption, name_ + " lacks a table");
  if (code != 0) return lmdb_error("opening the tables of " + name_, meant_code(code, name_));
  return {};
}

Result<ReadTxn> Env::begin_read() {
  MutexLock lock(mutex_);
  // A nested transaction must not wait: a resize, or a free reader slot, may wait for this thread's outer
  // one.
  const bool nested =
      std::find(envs_read_by_thread.begin(), envs_read_by_thread.end(), this) != envs_read_by_thread.end();
  if (!nested) {
    changed_.wait(lock,
                  [this]() CAIRN_REQUIRES(mutex_) { return !resizing_ && open_readers_ < readers_max_; });
  }
  ++open_readers_;
  MDB_txn* txn = nullptr;
  int code = 0;
  if (!idle_.empty()) {
    txn = idle_.back();
    idle_.pop_back();
    lock.unlock();
    code = mdb_txn_renew(txn);
    if (code != 0) mdb_txn_abort(txn);
  } else {
    lock.unlock();
    code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  }
  if (code == 0) {
    envs_read_by_thread.push_back(this);
    return ReadTxn(this, txn);
  }
  lock.lock();
  --open_readers_;
  lock.unlock();
  changed_.notify_all();
  if (code == MDB_MAP_RESIZED && !nested) {
    CAIRN_CHECK(resize(0));
    return begin_read();
  }
  // LMDB locks a byte of lock.mdb for the id of each process.
  if (code == EAGAIN || code == EACCES) {
    return make_error(
        Errc::kFailedPrecondition,
        "reading " + name_ + ": process id " + std::to_string(getpid()) +
            " is that of a process in another PID namespace (container) that has the store open; "
            "start in a shared PID namespace");
  }
  return lmdb_error("reading " + name_, code);
}

void Env::end_read(MDB_txn* txn) {
  mdb_txn_reset(txn);
  const auto here = std::find(envs_read_by_thread.begin(), envs_read_by_thread.end(), this);
  if (here != envs_read_by_thread.end()) envs_read_by_thread.erase(here);
  bool wake;
  {
    const MutexLock lock(mutex_);
    idle_.push_back(txn);
    wake = open_readers_ >= readers_max_ || resizing_;
    --open_readers_;
  }
  if (wake) changed_.notify_all();
}

Result<WriteTxn> Env::begin_write() {
  CAIRN_ASSERT(!writing_, name_);
  MDB_txn* txn = nullptr;
  const int code = mdb_txn_begin(env_, nullptr, 0, &txn);
  if (code != 0) return lmdb_error("writing " + name_, code);
  writing_ = true;
  return WriteTxn(this, txn);
}

Status Env::grow() { return resize(map_bytes() * 2); }

// 0 adopts the size that another process has set.
Status Env::resize(std::uint64_t map_bytes) {
  MutexLock lock(mutex_);
  CAIRN_ASSERT(!writing_, name_);
  changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return !resizing_; });
  resizing_ = true;
  changed_.wait(lock, [this]() CAIRN_REQUIRES(mutex_) { return open_readers_ == 0; });
  const int code = mdb_env_set_mapsize(env_, map_bytes);
  const Status found = code == 0 ? find_map() : Status();
  resizing_ = false;
  lock.unlock();
  changed_.notify_all();
  if (code != 0) return lmdb_error("enlarging the map of " + name_, code);
  return found;
}

void Env::clear_dead_readers() {
  int dead = 0;
  mdb_reader_check(env_, &dead);
}

// mdb_env_info() reads the meta pages through the map, which resize() unmaps for a moment.
MDB_envinfo Env::info() const {
  MDB_envinfo info;
  mdb_env_info(env_, &info);
  return info;
}

std::uint64_t Env::used_bytes() const {
  const MutexLock lock(mutex_);
  return used_bytes_of(info());
}

std::uint64_t Env::map_bytes() const {
  const MutexLock lock(mutex_);
  return info().me_mapsize;
}

unsigned Env::open_readers() const {
  const MutexLock lock(mutex_);
  return open_readers_;
}

// LMDB does not write free pages at the end of the file, and check_file() must check a file that lacks them
// completely, to tell it from a truncated one. Extending it avoids that. If it fails, the next open is only
// slower.
void Env::lengthen_file() const {
  struct stat file {};
  const std::uint64_t used = used_bytes();
  if (fstat(file_descriptor(), &file) != 0 || static_cast<std::uint64_t>(file.st_size) >= used) return;
  static_cast<void>(!ftruncate(file_descriptor(), static_cast<off_t>(used)));
}

int Env::file_descriptor() const {
  mdb_filehandle_t fd = -1;
  mdb_env_get_fd(env_, &fd);
  return fd;
}

void Env::read_ahead(const std::byte* at, std::uint64_t bytes) const {
  // The kernel may read less than one call asks for, as little as the read-ahead size of the device, which is
  // mostly 128 KiB.
  constexpr std::uint64_t kCallBytes = 128u << 10;
  const std::byte* const base = map_base_.load(std::memory_order_acquire);
  std::uint64_t from = static_cast<std::uint64_t>(at - base) / kPageBytes * kPageBytes;
  const std::uint64_t end = std::min(from + bytes, used_bytes());
  // One page stands for many: asking the kernel about all of them costs a scan of a log that is in the page
  // cache a twentieth of its time, asking about one in each call a twentieth still.
  const auto is_cached = [base](std::uint64_t page_at) {
    unsigned char cached = 0;
    auto* const page = const_cast<std::byte*>(base + page_at / kPageBytes * kPageBytes);
    return mincore(page, 1, &cached) == 0 && (cached & 1) != 0;
  };
  if (from >= end || (is_cached(end - 1) && is_cached(from + (end - from) / 2))) return;
  for (; from < end; from += kCallBytes) {
    auto* const address = const_cast<std::byte*>(base + from);
    const std::uint64_t size = std::min(kCallBytes, end - from);
    // The last page: the scan may have read the first.
    if (is_cached(from + size - 1)) continue;
    if (madvise(address, size, MADV_WILLNEED) != 0) return;  // It is only advice.
  }
}

bool Env::holds(const MDB_val& value) const {
  const auto* const data = static_cast<const std::byte*>(value.mv_data);
  const std::uint64_t used = used_bytes_of(info());  // the caller's transaction keeps resize() waiting
  const std::byte* const base = map_base_.load(std::memory_order_acquire);
  return data >= base && value.mv_size <= used &&
         static_cast<std::uint64_t>(data - base) <= used - value.mv_size;
}

// Finds the address of LMDB's map, which LMDB does not tell, in /proc/self/maps. The mapping is identified by
// inode and device, or by name: on btrfs and overlayfs stat() reports another device than the list of
// mappings.
Status Env::find_map() {
  struct stat file {};
  if (fstat(file_descriptor(), &file) != 0) return system_error("fstat " + name_, errno);
  const std::string device_wanted = device_name(file.st_dev), name_wanted = mapped_name(file_descriptor());
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::string range, access, offset, device;
    std::uint64_t inode = 0;
    fields >> range >> access >> offset >> device >> inode;
    const std::string_view name = std::string_view(line).substr(std::min(line.find('/'), line.size()));
    if (name.find("data.mdb") == std::string_view::npos) continue;
    if (name != name_wanted && (inode != file.st_ino || device != device_wanted)) continue;
    map_base_.store(reinterpret_cast<const std::byte*>(std::stoull(range, nullptr, 16)),
                    std::memory_order_release);
    return {};
  }
  return make_error(Errc::kIo, "the mapping of " + name_ + " is not in /proc/self/maps");
}

}  // namespace cairn::lmdb

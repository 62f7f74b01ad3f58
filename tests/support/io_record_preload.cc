// Interposes the C library's calls that change files, and records each of them as io_record_format.h says.
//
// A change and its record are made under one mutex, so that the order of the records is the order of the
// changes, and a process that is killed by IoRecordControl::kill_after leaves no change without its record.
// Syncs run outside it: what is written while one runs has its record between the two of the sync.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/support/io_record_format.h"

using cairn::test::IoRecordControl;
using cairn::test::IoRecordHead;
using cairn::test::IoRecordKind;

namespace {

template <typename Function>
Function following(Function, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// System calls without the C library, whose functions are interposed here.
void write_whole(int fd, const void* data, std::size_t size, off_t at) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const long wrote = ::syscall(SYS_pwrite64, fd, from, size, at);
    if (wrote <= 0) std::abort();
    from += wrote;
    at += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
}

class Recorder {
 public:
  static Recorder& get() {
    static Recorder* const only = new Recorder;
    return *only;
  }

  bool is_on() const { return fd_ >= 0; }
  bool covers(const char* path) const {
    return is_on() && std::strncmp(path, of_.c_str(), of_.size()) == 0 &&
           (path[of_.size()] == '/' || path[of_.size()] == '\0');
  }
  bool covers(int fd) const {
    if (!is_on()) return false;
    const int saved = errno;
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length <= 0) return false;
    path[length] = '\0';
    return covers(path);
  }

  // REQUIRES: mutex() is held. Returns the number of the record, from 1.
  std::uint64_t add(IoRecordHead head, const void* data, std::size_t bytes) {
    const int saved = errno;
    head.bytes = bytes;
    IoRecordControl control{};
    if (::syscall(SYS_pread64, fd_, &control, sizeof control, 0) != sizeof control) std::abort();
    const off_t end = ::lseek(fd_, 0, SEEK_END);
    write_whole(fd_, &head, sizeof head, end);
    write_whole(fd_, data, bytes, end + static_cast<off_t>(sizeof head));
    ++control.records;
    write_whole(fd_, &control.records, sizeof control.records, 0);
    if (control.records == control.kill_after) {
      for (;;) ::kill(::getpid(), SIGKILL);
    }
    errno = saved;
    return control.records;
  }
  std::mutex& mutex() { return mutex_; }

 private:
  Recorder() {
    const char* to = std::getenv("CAIRN_IO_RECORD_TO");
    const char* of = std::getenv("CAIRN_IO_RECORD_OF");
    if (to == nullptr || of == nullptr) return;
    of_ = of;
    fd_ = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, to, O_RDWR | O_CLOEXEC, 0));
    if (fd_ < 0) std::abort();
    add({.kind = IoRecordKind::kProcess}, nullptr, 0);
  }

  std::string of_;
  int fd_ = -1;
  std::mutex mutex_;
};

std::uint64_t node_of(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 ? facts.st_ino : 0;
}

std::uint64_t node_of(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

// A path of the program, which names files by absolute paths.
struct Place {
  std::string folder;
  std::string name;
  explicit Place(const char* path) {
    std::string text = path;
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    const std::size_t slash = text.rfind('/');
    folder = slash == std::string::npos ? "." : text.substr(0, slash);
    name = slash == std::string::npos ? text : text.substr(slash + 1);
  }
};

// Runs `call` and, when it has succeeded, records what `describe` adds.
template <typename Call, typename Describe>
auto recorded(bool ours, Call call, Describe describe) -> decltype(call()) {
  if (!ours) return call();
  Recorder& recorder = Recorder::get();
  const std::lock_guard lock(recorder.mutex());
  const auto result = call();
  if (result >= 0) describe(recorder, result);
  return result;
}

void add_output(const struct iovec* parts, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  Recorder& recorder = Recorder::get();
  const std::lock_guard lock(recorder.mutex());
  recorder.add({.kind = IoRecordKind::kOutput}, text.data(), text.size());
}

// Records the write of `parts` that begins at `at`, or where the descriptor stands.
template <typename Call>
ssize_t recorded_write(int fd, const struct iovec* parts, int count, off_t at, Call call) {
  if (fd == STDOUT_FILENO && Recorder::get().is_on()) {
    add_output(parts, count);
    return call();
  }
  return recorded(Recorder::get().covers(fd), call, [&](Recorder& recorder, ssize_t wrote) {
    std::string bytes;
    for (int i = 0; i < count; ++i)
      bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    const off_t from = at >= 0 ? at : ::lseek(fd, 0, SEEK_CUR) - wrote;
    const int flags = ::fcntl(fd, F_GETFL);
    recorder.add({.kind = IoRecordKind::kWrite,
                  .durable = (flags & (O_DSYNC | O_SYNC)) != 0 ? 1u : 0u,
                  .node = node_of(fd),
                  .offset = static_cast<std::uint64_t>(from)},
                 bytes.data(), static_cast<std::size_t>(wrote));
  });
}

template <typename Call>
int recorded_sync(int fd, Call call) {
  Recorder& recorder = Recorder::get();
  if (!recorder.covers(fd)) return call();
  std::uint64_t begin = 0;
  {
    const std::lock_guard lock(recorder.mutex());
    begin = recorder.add({.kind = IoRecordKind::kSyncBegin, .node = node_of(fd)}, nullptr, 0);
  }
  const int result = call();
  if (result == 0) {
    const std::lock_guard lock(recorder.mutex());
    recorder.add({.kind = IoRecordKind::kSyncEnd, .node = node_of(fd), .offset = begin}, nullptr, 0);
  }
  return result;
}

template <typename Call>
int recorded_size(int fd, IoRecordKind kind, off_t size, Call call) {
  return recorded(Recorder::get().covers(fd), call, [&](Recorder& recorder, int) {
    recorder.add({.kind = kind, .node = node_of(fd), .offset = static_cast<std::uint64_t>(size)}, nullptr, 0);
  });
}

template <typename Call>
int recorded_open(const char* path, int flags, Call call) {
  const bool ours = (flags & (O_CREAT | O_TRUNC)) != 0 && Recorder::get().covers(path);
  const bool existed = ours && node_of(path) != 0;
  return recorded(ours, call, [&](Recorder& recorder, int fd) {
    const Place place(path);
    if (!existed) {
      recorder.add({.kind = IoRecordKind::kMake, .node = node_of(fd), .folder = node_of(place.folder)},
                   place.name.data(), place.name.size());
    } else if ((flags & O_TRUNC) != 0) {
      recorder.add({.kind = IoRecordKind::kTruncate, .node = node_of(fd)}, nullptr, 0);
    }
  });
}

template <typename Call>
int recorded_removal(const char* path, Call call) {
  return recorded(Recorder::get().covers(path), call, [&](Recorder& recorder, int) {
    const Place place(path);
    recorder.add({.kind = IoRecordKind::kRemove, .folder = node_of(place.folder)}, place.name.data(),
                 place.name.size());
  });
}

mode_t mode_argument(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

// The library is loaded before the program has changed anything.
[[gnu::constructor]] void begin() { Recorder::get(); }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static auto next = following(&open, "open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return recorded_open(path, flags, [&] { return next(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  static auto next = following(&open64, "open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_argument(flags, arguments);
  va_end(arguments);
  return recorded_open(path, flags, [&] { return next(path, flags, mode); });
}

ssize_t write(int fd, const void* data, size_t size) {
  static auto next = following(&write, "write");
  const struct iovec part { const_cast<void*>(data), size };
  return recorded_write(fd, &part, 1, -1, [&] { return next(fd, data, size); });
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  static auto next = following(&pwrite, "pwrite");
  const struct iovec part { const_cast<void*>(data), size };
  return recorded_write(fd, &part, 1, at, [&] { return next(fd, data, size, at); });
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  static auto next = following(&pwrite64, "pwrite64");
  const struct iovec part { const_cast<void*>(data), size };
  return recorded_write(fd, &part, 1, at, [&] { return next(fd, data, size, at); });
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  static auto next = following(&writev, "writev");
  return recorded_write(fd, parts, count, -1, [&] { return next(fd, parts, count); });
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  static auto next = following(&pwritev, "pwritev");
  return recorded_write(fd, parts, count, at, [&] { return next(fd, parts, count, at); });
}

ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) {
  static auto next = following(&pwritev64, "pwritev64");
  return recorded_write(fd, parts, count, at, [&] { return next(fd, parts, count, at); });
}

int fdatasync(int fd) {
  static auto next = following(&fdatasync, "fdatasync");
  return recorded_sync(fd, [&] { return next(fd); });
}

int fsync(int fd) {
  static auto next = following(&fsync, "fsync");
  return recorded_sync(fd, [&] { return next(fd); });
}

int ftruncate(int fd, off_t size) noexcept {
  static auto next = following(&ftruncate, "ftruncate");
  return recorded_size(fd, IoRecordKind::kTruncate, size, [&] { return next(fd, size); });
}

int ftruncate64(int fd, off64_t size) noexcept {
  static auto next = following(&ftruncate64, "ftruncate64");
  return recorded_size(fd, IoRecordKind::kTruncate, size, [&] { return next(fd, size); });
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  static auto next = following(&fallocate, "fallocate");
  if (mode != 0) return next(fd, mode, at, size);  // the size stays
  return recorded_size(fd, IoRecordKind::kExtend, at + size, [&] { return next(fd, mode, at, size); });
}

int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  static auto next = following(&fallocate64, "fallocate64");
  if (mode != 0) return next(fd, mode, at, size);
  return recorded_size(fd, IoRecordKind::kExtend, at + size, [&] { return next(fd, mode, at, size); });
}

int rename(const char* from, const char* to) noexcept {
  static auto next = following(&rename, "rename");
  return recorded(
      Recorder::get().covers(to), [&] { return next(from, to); },
      [&](Recorder& recorder, int) {
        const Place before(from), after(to);
        if (before.folder != after.folder) std::abort();  // the replayer knows renames within a folder
        std::string names = before.name;
        names += '\0';
        names += after.name;
        recorder.add({.kind = IoRecordKind::kRename, .folder = node_of(after.folder)}, names.data(),
                     names.size());
      });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto next = following(&mkdir, "mkdir");
  return recorded(
      Recorder::get().covers(path), [&] { return next(path, mode); },
      [&](Recorder& recorder, int) {
        const Place place(path);
        recorder.add({.kind = IoRecordKind::kMake,
                      .node = node_of(std::string(path)),
                      .folder = node_of(place.folder),
                      .offset = 1},
                     place.name.data(), place.name.size());
      });
}

int unlink(const char* path) noexcept {
  static auto next = following(&unlink, "unlink");
  return recorded_removal(path, [&] { return next(path); });
}

int rmdir(const char* path) noexcept {
  static auto next = following(&rmdir, "rmdir");
  return recorded_removal(path, [&] { return next(path); });
}

int remove(const char* path) noexcept {
  static auto next = following(&remove, "remove");
  return recorded_removal(path, [&] { return next(path); });
}

}  // extern "C"

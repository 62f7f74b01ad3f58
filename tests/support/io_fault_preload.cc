// Interposes the C library's calls that change files, and makes one of them fail as io_fault_control.h describes.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/support/io_fault_control.h"

using cairn::test::IoAction;
using cairn::test::IoCall;
using cairn::test::IoEffect;
using cairn::test::IoFaultControl;

namespace {

IoFaultControl* control() {
  static IoFaultControl* const shared = []() -> IoFaultControl* {
    const char* path = std::getenv("CAIRN_IO_FAULT");
    if (path == nullptr) return nullptr;
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* page = ::mmap(nullptr, sizeof(IoFaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return page == MAP_FAILED ? nullptr : static_cast<IoFaultControl*>(page);
  }();
  return shared;
}

template <typename Function>
Function real(Function, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_ours(const IoFaultControl& shared, const char* path) {
  const std::size_t length = std::strlen(path), ending = std::strlen(shared.suffix);
  return std::strncmp(path, shared.folder, std::strlen(shared.folder)) == 0 && length >= ending &&
         std::strcmp(path + length - ending, shared.suffix) == 0;
}

[[noreturn]] void die() {
  for (;;) ::kill(::getpid(), SIGKILL);
}

enum class Verdict { kGoOn, kBefore, kHalf, kAfter };

// Counts the call, and returns whether and how it fails.
Verdict judge(IoCall call, const char* path, std::uint64_t bytes) {
  IoFaultControl* shared = control();
  if (shared == nullptr || shared->armed.load() == 0 || !is_ours(*shared, path)) return Verdict::kGoOn;
  const bool counts =
      (shared->calls & call) != 0 &&
      (shared->bytes_max == 0 || (call == cairn::test::kIoWrite && bytes <= shared->bytes_max));
  const std::uint64_t number = counts ? shared->matched.fetch_add(1) + 1 : 0;
  const bool fires =
      counts && shared->at != 0 && (number == shared->at || (shared->forever != 0 && number > shared->at));
  if (!fires) {
    if (shared->fired.load() != 0) shared->later.fetch_add(1);
    return Verdict::kGoOn;
  }
  shared->fired.fetch_add(1);
  switch (shared->effect) {
    case IoEffect::kBefore:
      return Verdict::kBefore;
    case IoEffect::kHalf:
      return Verdict::kHalf;
    case IoEffect::kAfter:
      return Verdict::kAfter;
  }
  return Verdict::kGoOn;
}

Verdict judge_fd(IoCall call, int fd, std::uint64_t bytes) {
  const int saved = errno;
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  errno = saved;
  if (length <= 0) return Verdict::kGoOn;
  path[length] = '\0';
  return judge(call, path, bytes);
}

int go_wrong() {
  if (control()->action == IoAction::kKill) die();
  errno = control()->error;
  return -1;
}

// Runs `whole` or, for a partial effect, `half`, as the verdict says.
template <typename Whole, typename Half>
auto perform(Verdict verdict, Whole whole, Half half) -> decltype(whole()) {
  if (verdict != Verdict::kGoOn && control()->action == IoAction::kDelay) {
    ::usleep(200'000);
    return whole();
  }
  switch (verdict) {
    case Verdict::kGoOn:
      return whole();
    case Verdict::kBefore:
      break;
    case Verdict::kHalf:
      half();
      break;
    case Verdict::kAfter:
      whole();
      break;
  }
  return go_wrong();
}

template <typename Whole>
auto perform(Verdict verdict, Whole whole) -> decltype(whole()) {
  return perform(verdict, whole, [] {});
}

std::uint64_t bytes_of(const struct iovec* parts, int count) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  static auto next = real(&write, "write");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, size), [&] { return next(fd, data, size); },
      [&] { next(fd, data, size / 2); });
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  static auto next = real(&pwrite, "pwrite");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, size), [&] { return next(fd, data, size, at); },
      [&] { next(fd, data, size / 2, at); });
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  static auto next = real(&pwrite64, "pwrite64");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, size), [&] { return next(fd, data, size, at); },
      [&] { next(fd, data, size / 2, at); });
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  static auto next = real(&writev, "writev");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, bytes_of(parts, count)), [&] { return next(fd, parts, count); },
      [&] { next(fd, parts, (count + 1) / 2); });
}

ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  static auto next = real(&pwritev, "pwritev");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, bytes_of(parts, count)), [&] { return next(fd, parts, count, at); },
      [&] { next(fd, parts, (count + 1) / 2, at); });
}

ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) {
  static auto next = real(&pwritev64, "pwritev64");
  return perform(
      judge_fd(cairn::test::kIoWrite, fd, bytes_of(parts, count)), [&] { return next(fd, parts, count, at); },
      [&] { next(fd, parts, (count + 1) / 2, at); });
}

int fdatasync(int fd) {
  static auto next = real(&fdatasync, "fdatasync");
  return perform(judge_fd(cairn::test::kIoSync, fd, 0), [&] { return next(fd); });
}

int fsync(int fd) {
  static auto next = real(&fsync, "fsync");
  return perform(judge_fd(cairn::test::kIoSync, fd, 0), [&] { return next(fd); });
}

int msync(void* from, size_t size, int flags) {
  static auto next = real(&msync, "msync");
  return next(from, size, flags);
}

int ftruncate(int fd, off_t size) noexcept {
  static auto next = real(&ftruncate, "ftruncate");
  return perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, size); });
}

int ftruncate64(int fd, off64_t size) noexcept {
  static auto next = real(&ftruncate64, "ftruncate64");
  return perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, size); });
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  static auto next = real(&fallocate, "fallocate");
  return perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, mode, at, size); });
}

int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  static auto next = real(&fallocate64, "fallocate64");
  return perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, mode, at, size); });
}

// These return the error instead of setting errno.
int posix_fallocate(int fd, off_t at, off_t size) {
  static auto next = real(&posix_fallocate, "posix_fallocate");
  const int result = perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, at, size); });
  return result == -1 ? errno : result;
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
  static auto next = real(&posix_fallocate64, "posix_fallocate64");
  const int result = perform(judge_fd(cairn::test::kIoSpace, fd, 0), [&] { return next(fd, at, size); });
  return result == -1 ? errno : result;
}

int rename(const char* from, const char* to) noexcept {
  static auto next = real(&rename, "rename");
  return perform(judge(cairn::test::kIoName, to, 0), [&] { return next(from, to); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static auto next = real(&renameat, "renameat");
  return perform(judge(cairn::test::kIoName, to, 0), [&] { return next(from_folder, from, to_folder, to); });
}

int link(const char* from, const char* to) noexcept {
  static auto next = real(&link, "link");
  return perform(judge(cairn::test::kIoName, to, 0), [&] { return next(from, to); });
}

int unlink(const char* path) noexcept {
  static auto next = real(&unlink, "unlink");
  return perform(judge(cairn::test::kIoName, path, 0), [&] { return next(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto next = real(&mkdir, "mkdir");
  return perform(judge(cairn::test::kIoName, path, 0), [&] { return next(path, mode); });
}

}  // extern "C"

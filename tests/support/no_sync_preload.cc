// A C library whose syncs do nothing and report success. Tests of power cuts must catch a program that runs
// with it; else they would catch nothing.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <cstdarg>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

template <typename Function>
Function next_of(Function, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int fdatasync(int) { return 0; }
int fsync(int) { return 0; }
int msync(void*, size_t, int) { return 0; }

int open(const char* path, int flags, ...) {
  static auto next = next_of(&open, "open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return next(path, flags & ~(O_SYNC | O_DSYNC), mode);
}

int open64(const char* path, int flags, ...) {
  static auto next = next_of(&open64, "open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return next(path, flags & ~(O_SYNC | O_DSYNC), mode);
}

}  // extern "C"

#pragma once

#include <atomic>
#include <cstdint>

// Shared memory of a test and the library io_fault_preload: one page of a mapped file, named by
// CAIRN_IO_FAULT.
namespace cairn::test {

// The kinds of system calls that change files.
enum IoCall : std::uint32_t {
  kIoWrite = 1,  // write, pwrite, writev, pwritev
  kIoSync = 2,   // fdatasync, fsync, msync
  kIoSpace = 4,  // ftruncate, fallocate
  kIoName = 8,   // rename, unlink, mkdir, link
  kIoAny = 15,
};

enum class IoEffect : std::uint32_t {
  kBefore,  // the call is not made
  kHalf,    // a write stops half-way; other calls are not made
  kAfter,   // the call is made, and then it goes wrong
};

enum class IoAction : std::uint32_t {
  kError,
  kKill,
  kDelay,  // the call takes 200 ms longer, and goes well
};

struct IoFaultControl {
  // Set by the test, `armed` last.
  std::atomic<std::uint32_t> armed;
  char folder[256];         // only files whose path begins with this count
  char suffix[64];          // and whose path ends with this
  std::uint32_t calls;      // IoCall bits
  std::uint64_t bytes_max;  // only writes of at most so many bytes; 0 = all
  std::uint64_t at;         // goes wrong at the at-th such call; 0 = never, they are only counted
  std::uint32_t forever;    // and at every later one
  IoEffect effect;
  IoAction action;
  std::int32_t error;

  // Counted by the library.
  std::atomic<std::uint64_t> matched;  // such calls since it was armed
  std::atomic<std::uint64_t> fired;    // of these, how many went wrong
  std::atomic<std::uint64_t>
      later;  // calls on files of that suffix that were made after the first that went wrong
};

}  // namespace cairn::test

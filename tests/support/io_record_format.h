#pragma once

#include <cstdint>

// What the library io_record_preload writes to the file that CAIRN_IO_RECORD_TO names: every change of a file
// or folder below the folder CAIRN_IO_RECORD_OF, and every line of the program's output, in one order.
namespace cairn::test {

enum class IoRecordKind : std::uint32_t {
  kProcess,    // a process begins
  kMake,       // `node` is made in `folder`; the bytes are its name, and `offset` is 1 for a folder
  kRename,     // in `folder`; the bytes are the old name, a zero and the new one
  kRemove,     // from `folder`; the bytes are the name
  kWrite,      // the bytes are written to `node` at `offset`
  kTruncate,   // `node` gets the size `offset`
  kExtend,     // `node` gets at least the size `offset`
  kSyncBegin,  // of `node`, a file or a folder
  kSyncEnd,    // of the sync that began with the record `offset`
  kOutput,     // the bytes are written to the program's output
};

// Followed by `bytes` bytes.
struct IoRecordHead {
  IoRecordKind kind;
  std::uint32_t durable;  // 1 = a write through a descriptor with O_DSYNC or O_SYNC
  std::uint64_t node;     // inode numbers
  std::uint64_t folder;
  std::uint64_t offset;
  std::uint64_t bytes;
};

// The shared beginning of the file with the records.
struct IoRecordControl {
  std::uint64_t records;     // how many follow, of all processes
  std::uint64_t kill_after;  // the process kills itself after this record; 0 = never
};

}  // namespace cairn::test

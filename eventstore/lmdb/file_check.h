#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "eventstore/base/result.h"

// LMDB keeps no checksums and trusts its own pages: a flipped bit in one can send it, and us, outside the
// file. So the file's structure is looked over by our own eyes before LMDB gets it. What the pages hold is
// checked later, record by record, with our checksums.
namespace cairn::lmdb {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kFileBytesMin = 2 * kPageBytes;  // the meta pages; less was never finished

inline constexpr std::uint64_t kLeavesAtOpenMax = 1u << 18;  // a gibibyte of leaves

// Thrown through LMDB when one of its assertions fails.
struct BrokenStructure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FileFacts {
  std::uint64_t file_bytes = 0;
  std::uint64_t used_bytes = 0;  // pages the newest commit knows of
};

// Checks that `file` (data.mdb) is whole: both meta pages readable and of our page size, and the file as long
// as the newest commit needs; of free pages at its end some may be missing. Fails with kCorruption and says
// what is wrong.
Result<FileFacts> check_file(const std::filesystem::path& file);

enum class TreeCheck {
  kAtOpen,  // everything a search walks over and a commit goes to, and the list of free pages. Of a table
            // with more than kLeavesAtOpenMax leaves only the last leaf, so that opening a huge store stays a
            // matter of seconds
  kAll,     // all of it, the pages of large values too, and that no page is used twice
};

// Checks the pages of the trees in `file`, which nobody may be writing. Fails with kCorruption.
Status check_trees(const std::filesystem::path& file, TreeCheck depth);

}  // namespace cairn::lmdb

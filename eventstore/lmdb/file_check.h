#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "eventstore/base/result.h"

// LMDB keeps no checksums and trusts its pages: a flipped bit in one can make it access memory outside the
// file. So the structure of the file is checked before LMDB opens it. The content of records is checked
// later, record by record, by the checksums in them.
namespace cairn::lmdb {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kFileBytesMin =
    2 * kPageBytes;  // the meta pages; a shorter file was never completed

inline constexpr std::uint64_t kLeavesAtOpenMax = 1u << 18;  // a gibibyte of leaves

// Thrown through LMDB when one of its assertions fails.
struct BrokenStructure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FileFacts {
  std::uint64_t file_bytes = 0;
  std::uint64_t used_bytes = 0;  // by the newest commit
};

// Checks that `file` (data.mdb) is not truncated: both meta pages are valid and have our page size, and the
// file is as long as the newest commit needs; free pages at its end may be missing. Fails with kCorruption
// and says what is wrong. Another process may write the file.
Result<FileFacts> check_file(const std::filesystem::path& file);

enum class TreeCheck {
  kAtOpen,  // all pages that searches and commits go through, and the list of free pages. Of a table with
            // more than kLeavesAtOpenMax leaves only the last leaf, so that a huge store opens within seconds
  kAll,     // all pages, with overflow pages, and that no page is used twice
};

// Checks the pages of the B+trees in `file`. Fails with kCorruption. REQUIRES: no process writes the file.
Status check_trees(const std::filesystem::path& file, TreeCheck depth);

}  // namespace cairn::lmdb

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/posting_term.h"
#include "eventstore/lmdb/lmdb_env.h"

// Posting lists on disk. A list is cut into chunks of neighbouring positions:
//   key    kind ('c' or 't'), name, a zero byte, first position (big-endian)
//   value  for each further position its distance from the one before (varint); sealed
namespace cairn::postings {

// One decoded chunk, never empty.
using Chunk = std::vector<std::uint64_t>;

// The chunk in which `position` would stand: the last one that does not begin above it; nullopt when the list
// begins above `position` or is not there.
Result<std::optional<Chunk>> chunk_at(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                      std::uint64_t position);

// The first chunk that begins above `position`.
Result<std::optional<Chunk>> chunk_after(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                         std::uint64_t position);

// Adds `positions`, all above those the list has, filling up its last chunk first. Returns LMDB's code or
// damage.
Result<int> append(MDB_txn* txn, MDB_dbi table, const PostingTerm& term,
                   std::span<const std::uint64_t> positions);

// One record as it stands in the table, for a walk over all of them. kCorruption when it cannot be one.
struct Entry {
  PostingTerm term;
  Chunk chunk;
};
Result<Entry> decode(std::string_view key, std::string_view value);

}  // namespace cairn::postings

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

// Posting lists on disk. A list is split into chunks of consecutive positions:
//   key    kind ('c' or 't'), name, a zero byte, first position (big-endian)
//   value  each further position as the difference to the previous one (varint), with a checksum (sealed.h)
namespace cairn::postings {

// One decoded chunk, never empty.
using Chunk = std::vector<std::uint64_t>;

// The last chunk that does not begin above `position`; nullopt when the list begins above it or does not
// exist.
Result<std::optional<Chunk>> chunk_at(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                      std::uint64_t position);

// The first chunk that begins above `position`, or nullopt.
Result<std::optional<Chunk>> chunk_after(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                         std::uint64_t position);

// Appends `positions` to the list, filling its last chunk first. Returns LMDB's code, or fails with
// kCorruption.
// REQUIRES: `positions` ascend and are above those in the list.
Result<int> append(MDB_txn* txn, MDB_dbi table, const PostingTerm& term,
                   std::span<const std::uint64_t> positions);

// Decodes one record, for a scan of the table. Fails with kCorruption.
struct Entry {
  PostingTerm term;
  Chunk chunk;
};
Result<Entry> decode(std::string_view key, std::string_view value);

}  // namespace cairn::postings

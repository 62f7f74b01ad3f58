#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/run_reader.h"
#include "eventstore/index/term.h"
#include "eventstore/lmdb/lmdb_env.h"

// The posting lists that version 0.1 wrote, of categories and types. They are read until the runs that replace
// them are complete (TermRuns::lists_through). A list is split into chunks of consecutive positions:
//   key    kind ('c' or 't'), name, a zero byte, first position (big-endian)
//   value  each further position as the difference to the previous one (varint), with a checksum (sealed.h)
namespace cairn::postings {

// The last chunk that does not begin above `position`; nullopt when the list begins above it or does not
// exist.
Result<std::optional<PositionChunk>> chunk_at(const lmdb::ReadTxn& txn, MDB_dbi table, const TermView& term,
                                              std::uint64_t position);

// The first chunk that begins above `position`, or nullopt.
Result<std::optional<PositionChunk>> chunk_after(const lmdb::ReadTxn& txn, MDB_dbi table,
                                                 const TermView& term, std::uint64_t position);

// Decodes one record, for a scan of the table. Fails with kCorruption.
struct Entry {
  Term term;
  PositionChunk chunk;
};
Result<Entry> decode(std::string_view key, std::string_view value);

}  // namespace cairn::postings

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/term.h"
#include "eventstore/index/term_records.h"
#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/lmdb_env.h"

// Reads the records of one run. Damage is kCorruption.
namespace cairn {

// Positions of one term in ascending order, from one record; never empty.
using PositionChunk = std::vector<std::uint64_t>;

// The record with the first position of the term at or above `position`; nullopt when there is none.
Result<std::optional<PositionChunk>> chunk_from(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run,
                                                const TermView& term, std::uint64_t position);

// The record with the last position of the term at or below `position`, or nullopt. It may have later ones.
Result<std::optional<PositionChunk>> chunk_down_to(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run,
                                                   const TermView& term, std::uint64_t position);

// Goes through a run, term by term and record by record. Short-lived, as its transaction is; not thread-safe.
class RunCursor {
 public:
  static Result<RunCursor> open(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run);

  // An entry of a record: some positions of a term.
  struct Entry {
    Term term;
    std::uint64_t total = 0;   // positions of the term in the run
    std::uint64_t before = 0;  // those of earlier entries
    std::vector<std::uint64_t> positions;
  };

  // Moves to the first entry that has a term above `term`, or `term` and a position at or above `position`;
  // nullopt at the end of the run. Valid until the next call.
  Result<const Entry*> seek(const TermView& term, std::uint64_t position);
  Result<const Entry*> first() { return seek({static_cast<TermKind>(0), {}}, 0); }
  Result<const Entry*> next();

  // Moves to the first entry of the next term.
  Result<const Entry*> next_term();

 private:
  RunCursor(lmdb::Cursor cursor, std::uint32_t run) : cursor_(std::move(cursor)), run_(run) {}
  Result<const Entry*> take(std::optional<lmdb::Record> record);

  lmdb::Cursor cursor_;
  std::uint32_t run_;
  std::optional<term_records::Decoder> decoder_;
  Entry entry_;
};

}  // namespace cairn

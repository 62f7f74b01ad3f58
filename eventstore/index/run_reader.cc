#include "eventstore/index/run_reader.h"

#include <cstring>
#include <utility>

#include "eventstore/base/endian.h"

namespace cairn {
namespace {

using term_records::Decoder;

bool is_of_run(std::string_view key, std::uint32_t run) {
  return key.size() >= sizeof run && __builtin_bswap32(load_le<std::uint32_t>(key.data())) == run;
}

// Moves to the entry of `term`; false if the record has none.
Result<bool> find_entry(Decoder& decoder, const TermView& term) {
  for (;;) {
    CAIRN_TRY(const bool more, decoder.next());
    if (!more || decoder.term() > term) return false;
    if (decoder.term() == term) return true;
  }
}

}  // namespace

// Of all records that begin at or before (term, position), the last one has the positions just below.
Result<std::optional<PositionChunk>> chunk_down_to(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run,
                                                   const TermView& term, std::uint64_t position) {
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(const auto found, cursor.at_or_before(term_records::key_of(run, term, position)));
  if (!found || !is_of_run(found->key, run)) return std::optional<PositionChunk>();
  CAIRN_TRY(Decoder decoder, Decoder::open(found->key, found->value));
  CAIRN_TRY(const bool has, find_entry(decoder, term));
  if (!has || decoder.first() > position) return std::optional<PositionChunk>();
  CAIRN_TRY(PositionChunk chunk, decoder.positions());
  return std::optional(std::move(chunk));
}

Result<std::optional<PositionChunk>> chunk_from(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run,
                                                const TermView& term, std::uint64_t position) {
  CAIRN_TRY(RunCursor cursor, RunCursor::open(txn, table, run));
  CAIRN_TRY(const RunCursor::Entry* const entry, cursor.seek(term, position));
  if (entry == nullptr || entry->term.view() != term) return std::optional<PositionChunk>();
  return std::optional(entry->positions);
}

Result<RunCursor> RunCursor::open(const lmdb::ReadTxn& txn, MDB_dbi table, std::uint32_t run) {
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  return RunCursor(std::move(cursor), run);
}

Result<const RunCursor::Entry*> RunCursor::seek(const TermView& term, std::uint64_t position) {
  const std::string key = term_records::key_of(run_, term, position);
  CAIRN_TRY(auto found, cursor_.at_or_before(key));
  if (!found || !is_of_run(found->key, run_)) {
    CAIRN_TRY(found, cursor_.at_or_after(key));
  }
  CAIRN_TRY(const Entry* entry, take(found));
  while (entry != nullptr &&
         (entry->term.view() < term || (entry->term.view() == term && entry->positions.back() < position))) {
    CAIRN_TRY(entry, next());
  }
  return entry;
}

Result<const RunCursor::Entry*> RunCursor::take(std::optional<lmdb::Record> record) {
  decoder_.reset();
  if (!record || !is_of_run(record->key, run_)) return nullptr;
  CAIRN_TRY(decoder_, Decoder::open(record->key, record->value));
  return next();
}

Result<const RunCursor::Entry*> RunCursor::next() {
  if (!decoder_) return nullptr;
  CAIRN_TRY(const bool more, decoder_->next());
  if (!more) {
    CAIRN_TRY(const auto record, cursor_.next());
    return take(record);
  }
  entry_.term.kind = decoder_->term().kind;
  entry_.term.bytes = decoder_->term().bytes;
  entry_.total = decoder_->total();
  entry_.before = decoder_->before();
  CAIRN_TRY(entry_.positions, decoder_->positions());
  return &entry_;
}

Result<const RunCursor::Entry*> RunCursor::next_term() {
  const Term term = entry_.term;
  if (entry_.before + entry_.positions.size() < entry_.total) return seek(term.view(), ~std::uint64_t{0});
  return next();
}

}  // namespace cairn

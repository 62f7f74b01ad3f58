#include "eventstore/index/run_merge.h"

#include "eventstore/index/run_reader.h"

namespace cairn {
namespace {

struct Input {
  RunCursor cursor;
  const RunCursor::Entry* entry = nullptr;  // null at its end
};

const Input* with_least_term(const std::vector<Input>& inputs) {
  const Input* least = nullptr;
  for (const Input& input : inputs) {
    if (input.entry == nullptr) continue;
    if (least == nullptr || input.entry->term.view() < least->entry->term.view()) least = &input;
  }
  return least;
}

}  // namespace

TermRun RunMerge::output() const {
  TermRun run{.number = number_, .first = inputs_.front().first, .last = inputs_.back().last, .pairs = 0};
  for (const TermRun& input : inputs_) run.pairs += input.pairs;
  return run;
}

Result<std::vector<term_records::Record>> RunMerge::next(const lmdb::ReadTxn& txn, MDB_dbi table,
                                                         std::size_t records_min) {
  std::vector<Input> inputs;
  inputs.reserve(inputs_.size());
  for (const TermRun& run : inputs_) {
    CAIRN_TRY(RunCursor cursor, RunCursor::open(txn, table, run.number));
    Input& input = inputs.emplace_back(Input{std::move(cursor)});
    if (term_) {
      CAIRN_TRY(input.entry, input.cursor.seek(term_->view(), position_ + 1));
    } else {
      CAIRN_TRY(input.entry, input.cursor.first());
    }
  }
  while (const Input* const least = with_least_term(inputs)) {
    const TermView term = least->entry->term.view();
    if (!term_ || term_->view() != term) {
      std::uint64_t total = 0;
      for (const Input& input : inputs)
        if (input.entry != nullptr && input.entry->term.view() == term) total += input.entry->total;
      encoder_.begin(term, total);
      term_ = Term{term.kind, std::string(term.bytes)};
      position_ = 0;
    }
    // The inputs are in the order of positions.
    for (Input& input : inputs) {
      while (input.entry != nullptr && input.entry->term.view() == term_->view()) {
        for (const std::uint64_t position : input.entry->positions) {
          if (position <= position_) continue;
          encoder_.add(position);
          position_ = position;
        }
        if (encoder_.complete() >= records_min) return encoder_.take();
        CAIRN_TRY(input.entry, input.cursor.next());
      }
    }
  }
  encoder_.finish();
  return encoder_.take();
}

}  // namespace cairn

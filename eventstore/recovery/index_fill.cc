#include "eventstore/recovery/index_fill.h"

#include <chrono>
#include <vector>

#include "eventstore/index/event_terms.h"
#include "eventstore/read/log_scan.h"

namespace cairn {
namespace {

// Of terms in memory; a run of them.
constexpr std::size_t kBytesMax = 64u << 20;
constexpr std::chrono::milliseconds kStepMax{10};

void add_terms(TermTable& table, const StoredEvent& stored, std::vector<EventTerm>& terms,
               const SipKey& key) {
  const EventView& event = stored.event;
  const std::uint64_t position = event.position.value;
  for (const TermView term :
       {TermView{TermKind::kCategory, category_of(event.stream)}, TermView{TermKind::kType, event.type}}) {
    table.add(term, hash_of(term), position);
  }
  terms.clear();
  add_event_terms(terms, {0, event.metadata, event.command_id}, event.tags, key);
  for (const EventTerm& term : terms) table.add(term.view(), term.hash, position);
}

}  // namespace

Result<bool> IndexFill::step() {
  const IndexProgress progress = index_.progress();
  if (progress.complete()) {
    terms_.reset();
    return false;
  }
  if (terms_ == nullptr) {
    terms_ = std::make_unique<TermTable>();
    read_through_ = progress.done;
  }
  CAIRN_CHECK(read_some());
  if (read_through_ < progress.total && terms_->bytes() < kBytesMax) return true;
  const auto terms = std::move(terms_);
  CAIRN_CHECK(index_.fill(*terms, {progress.done.value + 1}, read_through_, [] { return false; }));
  return true;
}

// The index ends where a block ends, and so does each step.
Status IndexFill::read_some() {
  const auto until = std::chrono::steady_clock::now() + kStepMax;
  std::vector<EventTerm> terms;
  StoredEvent stored;
  const BlockVisitor each_block = [&](BlockReader& block, std::span<const std::byte>) -> Result<bool> {
    const GlobalPosition last = block.header().last_position();
    for (std::uint64_t p = block.header().first_position.value; p <= last.value; ++p) {
      CAIRN_CHECK(block.read_into({p}, stored));
      add_terms(*terms_, stored, terms, index_.digest_key());
    }
    read_through_ = last;
    return terms_->bytes() < kBytesMax && std::chrono::steady_clock::now() < until;
  };
  return scan_blocks(log_, {read_through_.value + 1}, index_.progress().total, each_block);
}

}  // namespace cairn

#include "eventstore/verify/index_walk.h"

#include <utility>

#include <fmt/format.h>

#include "eventstore/base/sealed.h"
#include "eventstore/index/postings.h"

namespace cairn {

void IndexWalk::count_record() {
  if (++report_.index_records % 8'192 == 0 && progress_ && !cancelled_) {
    cancelled_ = !progress_("index", report_.index_records, report_.index_records);
  }
}

Status IndexWalk::walk(ExpectedIndex* expected) {
  for (const Status& status : {walk_streams(expected), walk_postings(), walk_terms(expected),
                               walk_ids(expected), walk_snapshots()}) {
    if (!status.ok()) findings_.add("index", status.error().message);
  }
  if (cancelled_) return verify_cancelled();
  return {};
}

Status IndexWalk::walk_streams(ExpectedIndex* expected) {
  std::uint64_t agreeing = 0;
  CAIRN_CHECK(
      index_.for_each(IndexReader::Table::kStreams, [&](std::string_view key, std::string_view value) {
        count_record();
        ++report_.streams;
        const std::string place = "index stream '" + record::printable(key) + "'";
        const auto payload = record::unseal(key, value);
        const auto head = payload.ok() ? record::decode_head(*payload) : std::nullopt;
        if (!head) return findings_.add(place, payload.ok() ? "cannot be read" : payload.error().message);
        if (expected == nullptr) return;
        const auto found = expected->heads().find(key);
        if (found != expected->heads().end() && found->second == *head) {
          ++agreeing;
        } else if (found == expected->heads().end() || found->second.version < head->version) {
          if (found != expected->heads().end()) ++agreeing;
          ahead_.emplace(std::string(key), *head);
        } else {
          findings_.add(place,
                        fmt::format("says version {} at position {}, the log says version {} at position {}",
                                    head->version.value, head->last_position().value,
                                    found->second.version.value, found->second.last_position().value));
          ++agreeing;  // not missing, although wrong
        }
      }));
  if (expected != nullptr && agreeing < expected->heads().size()) {
    findings_.add("index streams",
                  fmt::format("{} streams are missing", expected->heads().size() - agreeing));
  }
  return {};
}

// Posting lists of version 0.1 count until the runs that replace them are complete.
Status IndexWalk::walk_postings() {
  CAIRN_TRY(const TermRuns* const runs, index_.runs());
  return index_.for_each(IndexReader::Table::kPostings, [&](std::string_view key, std::string_view value) {
    count_record();
    const auto entry = postings::decode(key, value);
    if (!entry.ok())
      return findings_.add("index posting '" + record::printable(key) + "'", entry.error().message);
    if (runs->complete()) return;
    auto& digest = lists_[static_cast<char>(entry->term.kind) + entry->term.bytes];
    for (const std::uint64_t position : entry->chunk) digest.add(position);
  });
}

Status IndexWalk::walk_terms(ExpectedIndex* expected) {
  CAIRN_TRY(const TermRuns* const runs, index_.runs());
  for (const TermRun& run : runs->runs) CAIRN_CHECK(walk_run(run, run.first > runs->lists_through));
  if (expected == nullptr) return {};
  compare_lists('c', expected->categories());
  compare_lists('t', expected->types());
  for (const auto& [name, digest] : lists_) {
    findings_.add("index term '" + record::printable(name.substr(1)) + "'", "belongs to no event of the log");
  }
  for (const TermKind kind : {TermKind::kTag, TermKind::kCorrelation, TermKind::kCommand}) {
    const auto of = [kind](const auto& digests) {
      const auto found = digests.find(kind);
      return found == digests.end() ? ExpectedIndex::SetDigest{} : found->second;
    };
    const auto is = of(others_), should_be = of(expected->others());
    if (is == should_be) continue;
    findings_.add(fmt::format("index terms of kind '{}'", static_cast<char>(kind)),
                  fmt::format("has {} entries that differ from the log's {}", is.count, should_be.count));
  }
  return {};
}

// Runs that do not count yet are checked by themselves only.
Status IndexWalk::walk_run(const TermRun& run, bool counts) {
  CAIRN_TRY(RunCursor cursor, index_.walk_run(run.number));
  const std::string place =
      fmt::format("index run {} of positions {} to {}", run.number, run.first.value, run.last.value);
  std::uint64_t pairs = 0;
  Term term;
  std::uint64_t left = 0;  // positions of `term` that are still to come
  CAIRN_TRY(const RunCursor::Entry* entry, cursor.first());
  for (; entry != nullptr && !cancelled_;) {
    count_record();
    const bool follows = entry->before == 0 ? left == 0 && (pairs == 0 || term.view() < entry->term.view())
                                            : left > 0 && term.view() == entry->term.view();
    const bool inside =
        entry->positions.front() >= run.first.value && entry->positions.back() <= run.last.value;
    if (!follows || !inside || entry->positions.size() > entry->total - entry->before) {
      findings_.add(place,
                    fmt::format("has a wrong entry of term '{}'", record::printable(entry->term.bytes)));
      return {};
    }
    term = entry->term;
    left = entry->total - entry->before - entry->positions.size();
    pairs += entry->positions.size();
    if (counts) add(*entry);
    CAIRN_TRY(entry, cursor.next());
  }
  if (!cancelled_ && (left > 0 || pairs != run.pairs))
    findings_.add(place, fmt::format("has {} entries, and {} are listed", pairs, run.pairs));
  return {};
}

void IndexWalk::add(const RunCursor::Entry& entry) {
  if (entry.term.kind == TermKind::kCategory || entry.term.kind == TermKind::kType) {
    auto& digest = lists_[static_cast<char>(entry.term.kind) + entry.term.bytes];
    for (const std::uint64_t position : entry.positions) digest.add(position);
  } else {
    for (const std::uint64_t position : entry.positions)
      others_[entry.term.kind].add(entry.term.bytes, position);
  }
}

// Removes the lists that it finds from lists_; the remaining ones should not exist.
void IndexWalk::compare_lists(char kind, const ExpectedIndex::ByName<ExpectedIndex::ListDigest>& expected) {
  const std::string what = kind == 'c' ? "category" : "type";
  for (const auto& [name, digest] : expected) {
    const auto found = lists_.extract(kind + name);
    const std::string place = "index postings of " + what + " '" + name + "'";
    if (found.empty()) {
      findings_.add(place, "is missing");
    } else if (found.mapped() != digest) {
      findings_.add(place, fmt::format("has {} positions that differ from the log's {}", found.mapped().count,
                                       digest.count));
    }
  }
}

Status IndexWalk::walk_ids(ExpectedIndex* expected) {
  std::map<std::uint32_t, ExpectedIndex::SetDigest> days;
  CAIRN_CHECK(index_.for_each(IndexReader::Table::kIds, [&](std::string_view key, std::string_view value) {
    count_record();
    const auto chunk = IdRuns::decode(key, value);
    if (!chunk.ok()) return findings_.add("index id run", chunk.error().message);
    auto& day = days[chunk->day];
    if (!chunk->entries) return;
    for (const IdRuns::Entry& entry : *chunk->entries) day.add(entry);
  }));
  if (expected == nullptr || days.empty()) return {};
  // Days before the first one were dropped after the deduplication window; all later ones must exist.
  for (const auto& [day, digest] : expected->ids()) {
    if (day >= days.begin()->first && days[day] != digest) {
      findings_.add(fmt::format("index ids of day {}", day),
                    fmt::format("has {} ids that differ from the log's {}", days[day].count, digest.count));
    }
  }
  return {};
}

// Snapshots are a cache: a damaged one is counted, but is no damage of the store.
Status IndexWalk::walk_snapshots() {
  return index_.for_each(IndexReader::Table::kSnapshots, [&](std::string_view key, std::string_view value) {
    count_record();
    ++report_.snapshots;
    if (!record::unseal(key, value).ok()) ++report_.snapshots_damaged;
  });
}

}  // namespace cairn

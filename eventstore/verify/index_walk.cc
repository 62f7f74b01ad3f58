#include "eventstore/verify/index_walk.h"

#include <utility>

#include "eventstore/base/sealed.h"
#include "eventstore/index/postings.h"

namespace cairn {

void IndexWalk::count_record() {
  if (++report_.index_records % 8'192 == 0 && progress_ && !given_up_) {
    given_up_ = !progress_("index", report_.index_records, report_.index_records);
  }
}

Status IndexWalk::walk(ExpectedIndex* expected) {
  for (const Status& status :
       {walk_streams(expected), walk_postings(expected), walk_ids(expected), walk_snapshots()}) {
    if (!status.ok()) findings_.add("index", status.error().message);
  }
  if (given_up_) return verify_given_up();
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
          findings_.add(place, "says version " + std::to_string(head->version.value) + " at position " +
                                   std::to_string(head->last_position().value) + ", the log says version " +
                                   std::to_string(found->second.version.value) + " at position " +
                                   std::to_string(found->second.last_position().value));
          ++agreeing;  // it is there, if wrong
        }
      }));
  if (expected != nullptr && agreeing < expected->heads().size()) {
    findings_.add("index streams",
                  std::to_string(expected->heads().size() - agreeing) + " streams are missing");
  }
  return {};
}

Status IndexWalk::walk_postings(ExpectedIndex* expected) {
  CAIRN_CHECK(
      index_.for_each(IndexReader::Table::kPostings, [&](std::string_view key, std::string_view value) {
        count_record();
        const auto entry = postings::decode(key, value);
        if (!entry.ok())
          return findings_.add("index posting '" + record::printable(key) + "'", entry.error().message);
        auto& digest = lists_[static_cast<char>(entry->term.kind) + entry->term.name];
        for (const std::uint64_t position : entry->chunk) digest.add(position);
      }));
  if (expected == nullptr) return {};
  compare_lists('c', expected->categories());
  compare_lists('t', expected->types());
  for (const auto& [name, digest] : lists_) {
    findings_.add("index posting list '" + name.substr(1) + "'", "is of nothing the log has");
  }
  return {};
}

// Takes the lists it finds out of lists_; what remains is too much.
void IndexWalk::compare_lists(char kind, const ExpectedIndex::ByName<ExpectedIndex::ListDigest>& expected) {
  const std::string what = kind == 'c' ? "category" : "type";
  for (const auto& [name, digest] : expected) {
    const auto found = lists_.extract(kind + name);
    const std::string place = "index posting list of " + what + " '" + name + "'";
    if (found.empty()) {
      findings_.add(place, "is missing");
    } else if (found.mapped() != digest) {
      findings_.add(place, "has " + std::to_string(found.mapped().count) +
                               " positions that differ from the log's " + std::to_string(digest.count));
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
  // Days before the first one were dropped as their time came; from there on all have to be there.
  for (const auto& [day, digest] : expected->ids()) {
    if (day >= days.begin()->first && days[day] != digest) {
      findings_.add("index ids of day " + std::to_string(day), "has " + std::to_string(days[day].count) +
                                                                   " ids that differ from the log's " +
                                                                   std::to_string(digest.count));
    }
  }
  return {};
}

// Nobody trusts a snapshot, so a damaged one is counted and is no damage of the store.
Status IndexWalk::walk_snapshots() {
  return index_.for_each(IndexReader::Table::kSnapshots, [&](std::string_view key, std::string_view value) {
    count_record();
    ++report_.snapshots;
    if (!record::unseal(key, value).ok()) ++report_.snapshots_damaged;
  });
}

}  // namespace cairn

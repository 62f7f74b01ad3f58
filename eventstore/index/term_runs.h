#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/siphash.h"
#include "eventstore/types.h"

namespace cairn {

// A run: the terms of the events of consecutive positions. See term_records.h.
struct TermRun {
  std::uint32_t number = 0;  // in the keys of its records
  GlobalPosition first;
  GlobalPosition last;
  std::uint64_t pairs = 0;  // of term and position
  friend bool operator==(const TermRun&, const TermRun&) = default;
};

// Which runs the index has. Records of other runs are remains of a flush or a merge that was cut short.
//
// An index that version 0.1 began has posting lists in another table (postings.h): of categories and types, up
// to `lists_through`. Runs of those positions are added by reading the log, and count once they reach that far.
struct TermRuns {
  std::uint32_t next_number = 1;
  SipKey digest_key;             // of digest_of(), random
  GlobalPosition lists_through;  // 0: there are no posting lists, or the runs have all that they have
  std::vector<TermRun> runs;  // by position, disjoint; without a gap, but for one that ends at lists_through

  // Up to where the runs of positions that the posting lists have are made.
  GlobalPosition filled_through() const;
  bool complete() const { return lists_through.value == 0; }

  // Adds a run, in the order of positions. REQUIRES: it overlaps no other.
  void add(const TermRun& run);

  friend bool operator==(const TermRuns&, const TermRuns&) = default;
};

// The payload of the list's record. decode_term_runs() returns nullopt for an invalid one.
std::string encode_term_runs(const TermRuns& runs);
std::optional<TermRuns> decode_term_runs(std::string_view payload);

// Which runs to merge into one, as the range [from, to) of the list: of all ranges of at least eight adjacent
// runs without a gap, of which the largest has at most a third of the pairs, the one with the fewest pairs. So
// each pair is written some log8(runs) times, and a list of n pairs has O(log n) runs. nullopt when there is
// none. `excluded` are numbers of runs that cannot be read.
struct MergeRange {
  std::size_t from = 0;
  std::size_t to = 0;
  friend bool operator==(const MergeRange&, const MergeRange&) = default;
};
std::optional<MergeRange> choose_merge(std::span<const TermRun> runs,
                                       std::span<const std::uint32_t> excluded = {});

}  // namespace cairn

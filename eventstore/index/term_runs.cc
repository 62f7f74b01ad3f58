#include "eventstore/index/term_runs.h"

#include <algorithm>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

constexpr std::size_t kHeadBytes = 4 + 4 + 16 + 8;
constexpr std::size_t kRunBytes = 4 + 8 + 8 + 8;
// With more a pair is written less often, and a read searches more runs.
constexpr std::size_t kMergedMin = 8;
// A range of more runs is merged in several steps, so that choosing stays cheap.
constexpr std::size_t kMergedMax = 64;

template <typename Number>
void put(std::string& to, Number number) {
  to.resize(to.size() + sizeof number);
  store_le(to.data() + to.size() - sizeof number, number);
}

template <typename Number>
Number take(std::string_view& from) {
  const auto number = load_le<Number>(from.data());
  from.remove_prefix(sizeof number);
  return number;
}

bool in_order(const TermRuns& runs) {
  GlobalPosition last;
  for (const TermRun& run : runs.runs) {
    const bool follows = run.first.value == last.value + 1;
    const bool behind_gap = run.first.value == runs.lists_through.value + 1 && run.first > last;
    if (run.last < run.first || run.number >= runs.next_number || (!follows && !behind_gap)) return false;
    last = run.last;
  }
  return true;
}

}  // namespace

GlobalPosition TermRuns::filled_through() const {
  GlobalPosition filled;
  for (const TermRun& run : runs) {
    if (run.last <= lists_through) filled = run.last;
  }
  return filled;
}

void TermRuns::add(const TermRun& run) {
  const auto at =
      std::find_if(runs.begin(), runs.end(), [&](const TermRun& other) { return other.first > run.last; });
  CAIRN_ASSERT(at == runs.begin() || std::prev(at)->last < run.first, run.first.value, run.last.value);
  runs.insert(at, run);
}

std::string encode_term_runs(const TermRuns& runs) {
  CAIRN_ASSERT(in_order(runs), runs.runs.size());
  std::string payload;
  put(payload, runs.next_number);
  put(payload, static_cast<std::uint32_t>(runs.runs.size()));
  put(payload, runs.digest_key.low);
  put(payload, runs.digest_key.high);
  put(payload, runs.lists_through.value);
  for (const TermRun& run : runs.runs) {
    put(payload, run.number);
    put(payload, run.first.value);
    put(payload, run.last.value);
    put(payload, run.pairs);
  }
  return payload;
}

std::optional<TermRuns> decode_term_runs(std::string_view payload) {
  if (payload.size() < kHeadBytes) return std::nullopt;
  TermRuns runs;
  runs.next_number = take<std::uint32_t>(payload);
  const auto count = take<std::uint32_t>(payload);
  runs.digest_key.low = take<std::uint64_t>(payload);
  runs.digest_key.high = take<std::uint64_t>(payload);
  runs.lists_through = {take<std::uint64_t>(payload)};
  if (payload.size() != count * kRunBytes) return std::nullopt;
  runs.runs.resize(count);
  for (TermRun& run : runs.runs) {
    run.number = take<std::uint32_t>(payload);
    run.first = {take<std::uint64_t>(payload)};
    run.last = {take<std::uint64_t>(payload)};
    run.pairs = take<std::uint64_t>(payload);
  }
  if (!in_order(runs)) return std::nullopt;
  return runs;
}

std::optional<MergeRange> choose_merge(std::span<const TermRun> runs,
                                       std::span<const std::uint32_t> excluded) {
  const auto may_merge = [&](const TermRun& run) {
    return std::find(excluded.begin(), excluded.end(), run.number) == excluded.end();
  };
  std::optional<MergeRange> best;
  std::uint64_t best_pairs = 0;
  for (std::size_t from = 0; from + kMergedMin <= runs.size(); ++from) {
    std::uint64_t pairs = 0, largest = 0;
    for (std::size_t to = from; to < std::min(runs.size(), from + kMergedMax); ++to) {
      const bool adjacent = to == from || runs[to - 1].last.value + 1 == runs[to].first.value;
      if (!adjacent || !may_merge(runs[to])) break;
      pairs += runs[to].pairs;
      largest = std::max(largest, runs[to].pairs);
      const std::size_t count = to + 1 - from;
      if (count < kMergedMin || 3 * largest > pairs || (best && pairs >= best_pairs)) continue;
      best = MergeRange{from, to + 1};
      best_pairs = pairs;
    }
  }
  return best;
}

}  // namespace cairn

#include "eventstore/verify/repeated_ids.h"

#include <algorithm>
#include <functional>
#include <map>

#include "eventstore/base/seeded_hash.h"
#include "eventstore/read/log_scan.h"
#include "eventstore/verify/findings.h"

namespace cairn {
namespace {

constexpr std::uint64_t kHashesPerPass = 32u << 20;

// Visits the id of each event.
Status each_id(BlockSource& log, GlobalPosition head, const VerifyProgress& progress,
               const std::function<void(const Uuid&, GlobalPosition)>& visit) {
  return scan_blocks(log, {1}, head, [&](BlockReader& block, std::span<const std::byte>) -> Result<bool> {
    const BlockHeader& header = block.header();
    const std::uint64_t last = std::min(header.last_position().value, head.value);
    for (std::uint64_t position = header.first_position.value; position <= last; ++position) {
      CAIRN_TRY(const StoredEvent stored, block.read({position}));
      visit(stored.event.id, {position});
    }
    if (progress && !progress("ids", last, head.value)) return verify_cancelled();
    return true;
  });
}

}  // namespace

Result<RepeatedIds> find_repeated_ids(BlockSource& log, GlobalPosition head, const VerifyProgress& progress) {
  RepeatedIds repeated;
  if (head.value == 0) return repeated;
  const SeededHash hash_of;
  const std::uint64_t passes = (head.value + kHashesPerPass - 1) / kHashesPerPass;
  std::vector<std::uint64_t> listed;  // hashes that occur several times
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    std::vector<std::uint64_t> hashes;
    CAIRN_CHECK(each_id(log, head, progress, [&](const Uuid& id, GlobalPosition) {
      const std::uint64_t hash = hash_of(id);
      if (hash % passes == pass) hashes.push_back(hash);
    }));
    std::sort(hashes.begin(), hashes.end());
    for (auto at = hashes.begin(); (at = std::adjacent_find(at, hashes.end())) != hashes.end();) {
      ++repeated.count;
      if (listed.size() < kVerifyFindingsMax) listed.push_back(*at);
      at = std::upper_bound(at, hashes.end(), *at);
    }
  }
  if (listed.empty()) return repeated;

  std::sort(listed.begin(), listed.end());
  std::map<Uuid, std::vector<std::uint64_t>> places;
  CAIRN_CHECK(each_id(log, head, progress, [&](const Uuid& id, GlobalPosition position) {
    if (std::binary_search(listed.begin(), listed.end(), hash_of(id))) places[id].push_back(position.value);
  }));
  for (auto& [id, positions] : places) {
    if (positions.size() > 1) repeated.first.push_back({id.to_string(), std::move(positions)});
  }
  // Two ids may have the same hash, once in 2^64 pairs.
  repeated.count -=
      std::min<std::uint64_t>(repeated.count, listed.size() - std::min(listed.size(), repeated.first.size()));
  std::sort(repeated.first.begin(), repeated.first.end(),
            [](const RepeatedId& a, const RepeatedId& b) { return a.positions < b.positions; });
  return repeated;
}

}  // namespace cairn

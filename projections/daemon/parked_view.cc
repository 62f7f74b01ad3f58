#include "projections/daemon/parked_view.h"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kPositionsMax = 1'000;

ParkedKey shown(const ReadModel& model, const ParkedEntry& entry) {
  ParkedKey key;
  key.key = entry.place.name;
  key.by_stream = entry.place.by == ParkedPlace::By::kStream;
  key.generation = model.identity().generation;
  key.events = entry.waiting;
  key.position = entry.event.position;
  key.kind = entry.event.kind;
  key.message = entry.event.message;
  key.line = entry.event.line;
  key.parked_at = entry.event.parked_at;
  key.retries = entry.event.retries;
  return key;
}

}  // namespace

Result<ParkedList> parked_list(const std::vector<std::shared_ptr<ReadModel>>& models,
                               const std::string& after, std::size_t limit) {
  // Each generation lists keys and streams separately, in order. Entries of one name stay on one page.
  std::vector<ParkedKey> found;
  for (const auto& model : models) {
    for (const auto by : {ParkedPlace::By::kKey, ParkedPlace::By::kStream}) {
      CAIRN_TRY(const auto entries, model->parked(ParkedPlace{by, after}, limit + 1));
      for (const ParkedEntry& entry : entries) {
        if (entry.place.by == by && entry.place.name > after) found.push_back(shown(*model, entry));
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const ParkedKey& a, const ParkedKey& b) { return a.key < b.key; });
  ParkedList list;
  for (ParkedKey& key : found) {
    if (list.keys.size() >= limit && list.keys.back().key != key.key) {
      list.next = list.keys.back().key;
      break;
    }
    list.keys.push_back(std::move(key));
  }
  return list;
}

Result<std::vector<ParkedKeyDetail>> parked_details(const std::vector<std::shared_ptr<ReadModel>>& models,
                                                    const std::string& key) {
  std::vector<ParkedKeyDetail> details;
  for (const auto& model : models) {
    for (const auto by : {ParkedPlace::By::kKey, ParkedPlace::By::kStream}) {
      const ParkedPlace place{by, key};
      CAIRN_TRY(const auto entry, model->find_parked(place));
      if (!entry) continue;
      CAIRN_TRY(auto positions, model->waiting(place, {1}, kPositionsMax));
      details.push_back({shown(*model, *entry), std::move(positions)});
    }
  }
  if (details.empty()) return make_error(Errc::kNotFound, "nothing is parked at '" + key + "'");
  return details;
}

}  // namespace cairn

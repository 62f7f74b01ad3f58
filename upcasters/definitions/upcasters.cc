#include "upcasters/definitions/upcasters.h"

#include <algorithm>
#include <iterator>

namespace cairn {

Upcasters::BySource Upcasters::of_type(std::string_view type) const {
  const ReaderLock lock(mutex_);
  BySource found;
  for (auto step = steps_.lower_bound({std::string(type), 0});
       step != steps_.end() && step->first.first == type; ++step) {
    if (!step->second.empty()) found.emplace(step->first.second, step->second.back());
  }
  return found;
}

std::vector<std::shared_ptr<const Upcaster>> Upcasters::all() const {
  const ReaderLock lock(mutex_);
  std::vector<std::shared_ptr<const Upcaster>> found;
  for (const auto& [step, upcasters] : steps_) {
    if (!upcasters.empty()) found.push_back(upcasters.back());
  }
  return found;
}

std::uint32_t Upcasters::revisions(const std::string& type, std::uint32_t from) const {
  const ReaderLock lock(mutex_);
  const auto found = revisions_.find({type, from});
  return found == revisions_.end() ? 0 : found->second;
}

std::vector<std::shared_ptr<const Upcaster>> Upcasters::withdrawn_with_schema() const {
  const ReaderLock lock(mutex_);
  return withdrawn_with_schema_;
}

std::vector<LostVersion> Upcasters::lost_versions(std::string_view type) const {
  const ReaderLock lock(mutex_);
  std::vector<LostVersion> lost;
  for (const auto& upcaster : withdrawn_with_schema_) {
    if (upcaster->header.type == type) lost.push_back({upcaster->header.to, upcaster->to_schema});
  }
  return lost;
}

Status Upcasters::catch_up() {
  return follower_.catch_up([this](const EventView& stored) { return apply(stored); });
}

Status Upcasters::apply(const EventView& stored) {
  CAIRN_TRY(UpcasterEvent event, read_upcaster_event(stored));
  const WriterLock lock(mutex_);
  if (auto* installed = std::get_if<UpcasterInstalled>(&event)) {
    auto upcaster = std::make_shared<const Upcaster>(std::move(installed->upcaster));
    const Step step = step_of(*upcaster);
    revisions_[step] = upcaster->revision;
    if (upcaster->with_schema) with_schema_.push_back(upcaster);
    steps_[step].push_back(std::move(upcaster));
  } else if (const auto* withdrawn = std::get_if<UpcasterWithdrawn>(&event)) {
    withdraw(*withdrawn);
  }
  changes_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

// The upcaster may have been replaced before it was withdrawn: then the one in its place stays active, and
// the version that came with it was deleted all the same.
void Upcasters::withdraw(const UpcasterWithdrawn& event) {
  const Step step(event.type, event.from);
  const auto is_meant = [&](const std::shared_ptr<const Upcaster>& upcaster) {
    return step_of(*upcaster) == step && upcaster->fingerprint == event.fingerprint;
  };
  std::copy_if(with_schema_.begin(), with_schema_.end(), std::back_inserter(withdrawn_with_schema_),
               is_meant);
  std::erase_if(with_schema_, is_meant);
  const auto known = steps_.find(step);
  if (known != steps_.end() && !known->second.empty() && is_meant(known->second.back()))
    known->second.pop_back();
}

}  // namespace cairn

#include "upcasters/definitions/upcasters.h"

#include <algorithm>

namespace cairn {

Upcasters::BySource Upcasters::of_type(std::string_view type) const {
  const ReaderLock lock(mutex_);
  BySource found;
  add_current(steps_, type, found);
  add_current(armed_, type, found);
  return found;
}

template <typename Steps>
void Upcasters::add_current(const Steps& steps, std::string_view type, BySource& to) const {
  for (auto step = steps.lower_bound({std::string(type), 0});
       step != steps.end() && step->first.first == type; ++step) {
    if (auto upcaster = current(step->first)) to.emplace(step->first.second, std::move(upcaster));
  }
}

std::vector<std::shared_ptr<const Upcaster>> Upcasters::all() const {
  const ReaderLock lock(mutex_);
  std::vector<std::shared_ptr<const Upcaster>> found;
  for (const auto& [step, upcasters] : steps_) {
    if (auto upcaster = current(step)) found.push_back(std::move(upcaster));
  }
  return found;
}

std::shared_ptr<const Upcaster> Upcasters::current(const Step& step) const {
  if (const auto armed = armed_.find(step); armed != armed_.end()) return armed->second;
  const auto known = steps_.find(step);
  if (known == steps_.end()) return nullptr;
  const auto on = std::find_if(known->second.rbegin(), known->second.rend(),
                               [this](const auto& upcaster)
                                   CAIRN_REQUIRES_SHARED(mutex_) { return !is_unsettled(*upcaster); });
  return on == known->second.rend() ? nullptr : *on;
}

bool Upcasters::is_unsettled(const Upcaster& upcaster) const {
  return std::any_of(unsettled_.begin(), unsettled_.end(),
                     [&](const Unsettled& one) { return one.upcaster.get() == &upcaster; });
}

std::uint32_t Upcasters::revisions(const std::string& type, std::uint32_t from) const {
  const ReaderLock lock(mutex_);
  const auto found = revisions_.find({type, from});
  return found == revisions_.end() ? 0 : found->second;
}

std::vector<Upcasters::Unsettled> Upcasters::unsettled() const {
  const ReaderLock lock(mutex_);
  return unsettled_;
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
    if (installed->verified_through.value + 1 < stored.position.value) {
      unsettled_.push_back({upcaster, installed->verified_through, installed->with_schema});
    }
    steps_[step].push_back(std::move(upcaster));
  } else if (const auto* withdrawn = std::get_if<UpcasterWithdrawn>(&event)) {
    withdraw(*withdrawn);
  }
  changes_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

void Upcasters::withdraw(const UpcasterWithdrawn& event) {
  const Step step(event.type, event.from);
  const auto is_meant = [&](const Upcaster& upcaster) {
    return step_of(upcaster) == step && upcaster.fingerprint == event.fingerprint;
  };
  std::erase_if(unsettled_, [&](const Unsettled& one) { return is_meant(*one.upcaster); });
  const auto known = steps_.find(step);
  if (known != steps_.end() && !known->second.empty() && is_meant(*known->second.back()))
    known->second.pop_back();
  armed_.erase(step);
}

void Upcasters::settle(const Upcaster& upcaster) {
  const WriterLock lock(mutex_);
  std::erase_if(unsettled_, [&](const Unsettled& one) { return one.upcaster.get() == &upcaster; });
  armed_.erase(step_of(upcaster));
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

void Upcasters::arm(std::shared_ptr<const Upcaster> upcaster) {
  const WriterLock lock(mutex_);
  Step step = step_of(*upcaster);
  armed_[std::move(step)] = std::move(upcaster);
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

void Upcasters::disarm(const Upcaster& upcaster) {
  const WriterLock lock(mutex_);
  armed_.erase(step_of(upcaster));
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace cairn

#include "upcasters/definitions/upcasters.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kPageEvents = 100;
constexpr std::size_t kPageBytes = 8u << 20;

}  // namespace

Upcasters::BySource Upcasters::of_type(std::string_view type) const {
  const std::shared_lock lock(mutex_);
  BySource found;
  for (auto step = steps_.lower_bound({std::string(type), 0});
       step != steps_.end() && step->first.first == type; ++step) {
    if (!step->second.empty()) found.emplace(step->first.second, step->second.back());
  }
  return found;
}

std::vector<std::shared_ptr<const Upcaster>> Upcasters::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const Upcaster>> found;
  for (const auto& [step, upcasters] : steps_) {
    if (!upcasters.empty()) found.push_back(upcasters.back());
  }
  return found;
}

std::uint32_t Upcasters::revisions(const std::string& type, std::uint32_t from) const {
  const std::shared_lock lock(mutex_);
  const auto found = revisions_.find({type, from});
  return found == revisions_.end() ? 0 : found->second;
}

std::uint64_t Upcasters::stream_version() const {
  const std::shared_lock lock(mutex_);
  return stream_version_;
}

Result<std::vector<Upcasters::Unsettled>> Upcasters::catch_up() {
  const std::lock_guard catching_up(catch_up_mutex_);
  std::vector<Unsettled> unsettled;
  CAIRN_TRY(const auto info, store_.stream_info(kDefinitionStream));
  while (info && stream_version() < info->version.value) {
    const StreamQuery query{
        .from = StreamVersion{stream_version() + 1}, .limit = kPageEvents, .bytes_max = kPageBytes};
    CAIRN_TRY(const StreamPage page, store_.read_stream(kDefinitionStream, query));
    for (const EventView& stored : page.events) CAIRN_CHECK(apply(stored, unsettled));
  }
  return unsettled;
}

Status Upcasters::apply(const EventView& stored, std::vector<Unsettled>& unsettled) {
  CAIRN_TRY(UpcasterEvent event, read_upcaster_event(stored));
  if (auto* installed = std::get_if<UpcasterInstalled>(&event)) {
    const Step step(installed->upcaster.header.type, installed->upcaster.header.from);
    auto upcaster = std::make_shared<const Upcaster>(std::move(installed->upcaster));
    {
      const std::unique_lock lock(mutex_);
      revisions_[step] = upcaster->revision;
    }
    // Two upcasters of one step are never unsettled at once: the later one was tried on what the first was
    // not.
    std::erase_if(unsettled, [&](const Unsettled& one) {
      const bool same = Step(one.upcaster->header.type, one.upcaster->header.from) == step;
      if (same) turn_on(one.upcaster);
      return same;
    });
    if (installed->verified_through.value + 1 < stored.position.value) {
      unsettled.push_back({std::move(upcaster), installed->verified_through});
    } else {
      turn_on(std::move(upcaster));
    }
  } else if (const auto* withdrawn = std::get_if<UpcasterWithdrawn>(&event)) {
    withdraw(*withdrawn, unsettled);
  }
  const std::unique_lock lock(mutex_);
  stream_version_ = stored.version.value;
  return {};
}

void Upcasters::withdraw(const UpcasterWithdrawn& event, std::vector<Unsettled>& unsettled) {
  const auto is_meant = [&](const Upcaster& upcaster) {
    return upcaster.header.type == event.type && upcaster.header.from == event.from &&
           upcaster.fingerprint == event.fingerprint;
  };
  std::erase_if(unsettled, [&](const Unsettled& one) { return is_meant(*one.upcaster); });
  const std::unique_lock lock(mutex_);
  const auto step = steps_.find({event.type, event.from});
  if (step == steps_.end() || step->second.empty() || !is_meant(*step->second.back())) return;
  step->second.pop_back();
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

void Upcasters::turn_on(std::shared_ptr<const Upcaster> upcaster) {
  const std::unique_lock lock(mutex_);
  Step step(upcaster->header.type, upcaster->header.from);
  steps_[std::move(step)].push_back(std::move(upcaster));
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace cairn

#include "projections/readmodel/parked_writer.h"

#include <fmt/format.h>

#include <limits>

#include "eventstore/base/assert.h"
#include "eventstore/base/sealed.h"
#include "projections/readmodel/read_model_tables.h"

namespace cairn::readmodel {
namespace {

// No event has this position.
constexpr GlobalPosition kBehindAll{std::numeric_limits<std::uint64_t>::max()};

}  // namespace

Status ParkedWriter::release(const ParkedPlace& place) {
  CAIRN_ASSERT(!finished_);
  const std::string key = stored::place_key(place);
  entries_.erase(key);
  CAIRN_TRY(const bool parked, tables_.erase(kParked, key));
  if (!parked) return {};
  CAIRN_CHECK(
      tables_.erase_range(kWaiting, stored::waiting_key(key, {}), stored::waiting_key(key, kBehindAll)));
  return {};
}

Status ParkedWriter::park(const ParkedPlace& place, const ParkedEvent& event) {
  CAIRN_ASSERT(!finished_);
  const std::string key = stored::place_key(place);
  CAIRN_TRY(stored::Parked * entry, find(key));
  if (entry == nullptr) entry = &entries_[key];
  entry->event = event;
  CAIRN_TRY(const std::uint64_t before, tables_.erase_range(kWaiting, stored::waiting_key(key, {}),
                                                            stored::waiting_key(key, event.position)));
  CAIRN_TRY(const bool is_new, put_waiting(key, event.position));
  entry->waiting += is_new ? 1 : 0;
  if (before > entry->waiting) {
    return make_error(
        Errc::kCorruption,
        fmt::format("{} events wait at '{}' before position {}, where {} should wait in all", before,
                    record::printable(place.name), event.position.value, entry->waiting));
  }
  entry->waiting -= before;
  return {};
}

Status ParkedWriter::wait(const ParkedPlace& place, GlobalPosition position) {
  CAIRN_ASSERT(!finished_);
  const std::string key = stored::place_key(place);
  CAIRN_TRY(stored::Parked * entry, find(key));
  if (entry == nullptr || position < entry->event.position) {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("position {} cannot wait at '{}', where no event before it is parked",
                                  position.value, record::printable(place.name)));
  }
  CAIRN_TRY(const bool is_new, put_waiting(key, position));
  entry->waiting += is_new ? 1 : 0;
  return {};
}

Status ParkedWriter::finish() {
  CAIRN_ASSERT(!finished_);
  finished_ = true;
  for (const auto& [key, entry] : entries_) {
    stored::seal(key, stored::encode(entry), sealed_);
    CAIRN_CHECK(tables_.put(kParked, key, sealed_));
  }
  return {};
}

// nullptr when no event is parked at the place.
Result<stored::Parked*> ParkedWriter::find(const std::string& place_key) {
  if (const auto known = entries_.find(place_key); known != entries_.end()) return &known->second;
  CAIRN_TRY(const auto sealed, tables_.get(kParked, place_key));
  if (!sealed) return nullptr;
  CAIRN_TRY(stored::Parked parked, read_parked(place_key, *sealed));
  return &entries_.emplace(place_key, std::move(parked)).first->second;
}

Result<bool> ParkedWriter::put_waiting(const std::string& place_key, GlobalPosition position) {
  const std::string key = stored::waiting_key(place_key, position);
  stored::seal(key, {}, sealed_);
  return tables_.put(kWaiting, key, sealed_);
}

}  // namespace cairn::readmodel

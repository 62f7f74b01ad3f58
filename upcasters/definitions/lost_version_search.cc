#include "upcasters/definitions/lost_version_search.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "schemaregistry/registry/registry_event.h"
#include "upcasters/definitions/upcaster_event.h"

namespace cairn {

void LostVersionSearch::take(const EventView& event) {
  if (event.stream == kSchemaStream) return take_schema(event);
  if (event.stream == kDefinitionStream) return take_definition(event);
  if (event.schema.value == 0) return;
  std::vector<Uses>& uses = uses_[event.schema.value];
  auto same = std::find_if(uses.begin(), uses.end(), [&](const Uses& one) { return one.type == event.type; });
  if (same == uses.end()) same = uses.insert(uses.end(), {std::string(event.type), 0, event.position});
  ++same->events;
}

void LostVersionSearch::take_schema(const EventView& event) {
  const auto read = read_registry_event(event.type, event.data);
  if (!read) return;
  if (const auto* registered = std::get_if<SchemaRegistered>(&*read)) {
    versions_[registered->subject][registered->version] = registered->id;
  } else if (const auto* version = std::get_if<VersionPermanentlyDeleted>(&*read)) {
    versions_[version->subject].erase(version->version);
  } else if (const auto* subject = std::get_if<SubjectPermanentlyDeleted>(&*read)) {
    versions_.erase(subject->subject);
  }
}

void LostVersionSearch::take_definition(const EventView& event) {
  auto read = read_upcaster_event(event);
  if (!read) return;
  if (auto* installed = std::get_if<UpcasterInstalled>(&*read)) {
    if (installed->upcaster.with_schema) with_schema_.push_back(std::move(installed->upcaster));
  } else if (const auto* withdrawn = std::get_if<UpcasterWithdrawn>(&*read)) {
    const auto is_meant = [&](const Upcaster& upcaster) {
      return upcaster.header.type == withdrawn->type && upcaster.header.from == withdrawn->from &&
             upcaster.fingerprint == withdrawn->fingerprint;
    };
    std::copy_if(with_schema_.begin(), with_schema_.end(), std::back_inserter(withdrawn_), is_meant);
    std::erase_if(with_schema_, is_meant);
  }
}

std::vector<LostVersionSearch::Found> LostVersionSearch::found() const {
  std::vector<Found> all;
  for (const Upcaster& upcaster : withdrawn_) {
    const UpcasterHeader& header = upcaster.header;
    const auto subject = versions_.find(header.type);
    const bool is_there = subject != versions_.end() &&
                          std::any_of(subject->second.begin(), subject->second.end(),
                                      [&](const auto& one) { return one.second == upcaster.to_schema; });
    const auto uses = uses_.find(upcaster.to_schema.value);
    if (is_there || uses == uses_.end()) continue;
    for (const Uses& one : uses->second) {
      if (one.type == header.type)
        all.push_back({header.type, header.to, upcaster.to_schema, one.events, one.first});
    }
  }
  return all;
}

}  // namespace cairn

#include "entry.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace ledger {

cairn::NewEvent to_event(const Entry& entry) {
  cairn::NewEvent event;
  event.id = cairn::new_event_id();
  event.type = Entry::kType;
  event.data = nlohmann::json{{"cents", entry.cents}, {"other", entry.other}}.dump();
  return event;
}

cairn::Result<Entry> read_entry(const cairn::EventView& event) {
  const auto data = nlohmann::json::parse(event.data, nullptr, /*allow_exceptions=*/false);
  const auto field = [&](const char* name) {
    return data.is_object() ? data.value(name, nlohmann::json()) : data;
  };
  const auto cents = field("cents"), other = field("other");
  if (event.type != Entry::kType || !cents.is_number_integer() || !other.is_string()) {
    return cairn::make_error(
        cairn::Errc::kCorruption,
        std::string(event.stream) + " has no entry at version " + std::to_string(event.version.value));
  }
  return Entry{cents.get<std::int64_t>(), other.get<std::string>()};
}

std::string money(std::int64_t cents) {
  const std::string digits = std::to_string(std::abs(cents % 100));
  return (cents < 0 ? "-" : "") + std::to_string(std::abs(cents / 100)) + (digits.size() < 2 ? ".0" : ".") +
         digits;
}

}  // namespace ledger

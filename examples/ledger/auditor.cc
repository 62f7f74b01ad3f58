#include "auditor.h"

#include "entry.h"

namespace ledger {

cairn::Status Auditor::look() {
  const cairn::GlobalPosition head = store_.head();
  cairn::Status status;
  const auto add = [&](const cairn::EventView& event) {
    const auto entry = read_entry(event);
    if (!entry.ok()) {
      status = entry.error();
      return false;
    }
    cents_ += entry->cents;
    ++entries_;
    return true;
  };
  CAIRN_CHECK(store_.scan({.from = {through_.value + 1}, .to = head, .filter = {{"account"}, {}}}, add));
  CAIRN_CHECK(status);
  through_ = head;
  if (cents_ != 0 || entries_ % 2 != 0) {
    return cairn::make_error(cairn::Errc::kCorruption,
                             "the sum of " + std::to_string(entries_) + " entries is " + money(cents_));
  }
  return {};
}

}  // namespace ledger

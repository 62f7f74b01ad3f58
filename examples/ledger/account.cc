#include "account.h"

#include "entry.h"

namespace ledger {

cairn::Status catch_up(cairn::EventStore& store, Account& account) {
  std::optional<cairn::StreamVersion> from(account.version + 1);
  while (from) {
    auto page = store.read_stream(account.name, {.from = from});
    if (!page.ok() && page.error().code == cairn::Errc::kNotFound) return {};
    if (!page.ok()) return std::move(page).error();
    for (const cairn::EventView& event : page->events) {
      CAIRN_TRY(const Entry entry, read_entry(event));
      account.cents += entry.cents;
      account.version = event.version.value;
    }
    from = page->next;
  }
  return {};
}

}  // namespace ledger

#include "story.h"

#include <iostream>

#include "entry.h"
#include "transfer.h"

namespace ledger {

using cairn::Errc;
using cairn::make_error;

cairn::Status open_accounts(cairn::EventStore& store, const std::vector<std::string>& names) {
  Account bank{std::string(kBank)};
  for (const std::string& name : names) {
    Account opened{name};
    CAIRN_CHECK(catch_up(store, opened));
    if (opened.version > 0) continue;
    CAIRN_CHECK(transfer(store, bank, opened, 1000'00));
    std::cout << name << " is opened with " << money(1000'00) << '\n';
  }
  return {};
}

cairn::Status pay(cairn::EventStore& store, Account from, Account to, std::int64_t cents) {
  std::cout << from.name << " pays " << to.name << ' ' << money(cents) << ": ";
  const auto receipt = transfer(store, from, to, cents);
  if (receipt.ok()) {
    std::cout << "done, entry " << receipt->from_entry.value << " of the one and " << receipt->to_entry.value
              << " of the other\n";
    return {};
  }
  if (from.can_pay(cents)) return receipt.error();  // not for lack of funds
  std::cout << "refused, " << receipt.error().message << '\n';
  return {};
}

cairn::Status pay_and_ask_again(cairn::EventStore& store, Account from, Account to, std::int64_t cents) {
  CAIRN_CHECK(catch_up(store, from));
  CAIRN_CHECK(catch_up(store, to));
  CAIRN_TRY(const cairn::AppendRequest request, decide_transfer(from, to, cents));
  CAIRN_TRY(const cairn::AppendResult first, store.append(request));
  // Nothing is decided again. The store recognises the same request by its ids and versions.
  CAIRN_TRY(const cairn::AppendResult again, store.append(request));
  if (!again.already_applied || again.streams[0].last_position != first.streams[0].last_position) {
    return make_error(Errc::kCorruption, from.name + " has paid twice");
  }
  std::cout << from.name << " pays " << to.name << ' ' << money(cents)
            << ", hears nothing and sends it again: recognised, paid once\n";
  return {};
}

cairn::Status show_balances(cairn::EventStore& store, Balances& balances) {
  CAIRN_TRY(const auto rows, balances.rows(store.head()));
  for (const auto& row : rows) {
    Account account{row.key};
    CAIRN_CHECK(catch_up(store, account));
    const std::string wanted = Balances::row_of(account);
    if (row.json != wanted) {
      return make_error(Errc::kCorruption,
                        row.key + " has the row " + row.json + " and entries for " + wanted);
    }
    std::cout << "  " << row.key << ' ' << row.json << '\n';
  }
  return {};
}

}  // namespace ledger

#include "transfer.h"

#include "entry.h"

namespace ledger {

using cairn::Errc;
using cairn::ExpectedVersion;
using cairn::make_error;

cairn::Result<cairn::AppendRequest> decide_transfer(const Account& from, const Account& to,
                                                    std::int64_t cents) {
  if (from.name == to.name) return make_error(Errc::kInvalidArgument, from.name + " cannot pay itself");
  if (cents <= 0 || cents > kTransferCentsMax) {
    return make_error(Errc::kInvalidArgument, money(cents) + " cannot be moved");
  }
  if (!from.can_pay(cents)) {
    return make_error(Errc::kFailedPrecondition, from.name + " has " + money(from.cents));
  }
  cairn::AppendRequest request;
  request.streams.push_back(
      {from.name, ExpectedVersion::exactly(from.version), {to_event({-cents, to.name})}});
  request.streams.push_back({to.name, ExpectedVersion::exactly(to.version), {to_event({cents, from.name})}});
  return request;
}

cairn::Result<Receipt> transfer(cairn::EventStore& store, Account& from, Account& to, std::int64_t cents) {
  for (int decisions = 1; decisions <= kDecisionsMax; ++decisions) {
    CAIRN_CHECK(catch_up(store, from));
    CAIRN_CHECK(catch_up(store, to));
    CAIRN_TRY(cairn::AppendRequest request, decide_transfer(from, to, cents));
    const auto appended = store.append(std::move(request));
    if (appended.ok()) {
      const auto& [debit, credit] = std::tie(appended->streams[0], appended->streams[1]);
      return Receipt{debit.last_version, credit.last_version, credit.last_position, decisions};
    }
    if (appended.error().code != Errc::kVersionConflict) return appended.error();
  }
  return make_error(Errc::kOverloaded,
                    from.name + " and " + to.name + " never stood still long enough for a transfer");
}

}  // namespace ledger

#include "balances.h"

#include <chrono>
#include <future>

#include "entry.h"
#include "projections/typed_projection.h"

namespace ledger {
namespace {

// The projection reads only the amount of an entry.
struct PostedAmount {
  static constexpr std::string_view kType = Entry::kType;
  std::int64_t cents = 0;
  static constexpr auto kFields = std::tuple(cairn::data_field("cents", &PostedAmount::cents));
};

// A row. Its key is the name of the stream, which is the account's.
struct Balance {
  std::int64_t cents = 0;
  std::int64_t entries = 0;

  void apply(const PostedAmount& entry) {
    cents += entry.cents;
    ++entries;
  }
  void append_json(std::string& to) const {
    to += R"({"balance":")" + money(cents) + R"(","entries":)" + std::to_string(entries) + "}";
  }
};

}  // namespace

cairn::Result<Balances> Balances::add_to(cairn::Engine& engine) {
  CAIRN_CHECK(engine.daemon()->add(cairn::make_typed_projection<Balance, PostedAmount>(
      {.name = "balances", .revision = "1", .categories = {"account"}})));
  return Balances(*engine.daemon());
}

cairn::Result<std::vector<cairn::RowsAnswer::Row>> Balances::rows(cairn::GlobalPosition position) {
  std::promise<bool> reached;
  daemon_->wait_for("balances", position, std::chrono::seconds(30),
                    [&](bool there) { reached.set_value(there); });
  if (!reached.get_future().get()) {
    return cairn::make_error(cairn::Errc::kOverloaded,
                             "the balances do not have position " + std::to_string(position.value) + " yet");
  }
  CAIRN_TRY(cairn::RowsAnswer answer, daemon_->rows("balances", {}));
  return std::move(answer.rows);
}

std::string Balances::row_of(const Account& account) {
  std::string json;
  Balance{account.cents, static_cast<std::int64_t>(account.version)}.append_json(json);
  return json;
}

}  // namespace ledger

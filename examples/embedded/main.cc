// A program that embeds the store: it appends some events and maintains a read model with a native (C++)
// projection.

#include <chrono>
#include <filesystem>
#include <future>
#include <iostream>
#include <string>

#include "projections/engine/engine.h"
#include "projections/typed_projection.h"

namespace {

using namespace cairn;

// The fields of an event that the projection reads: members, and the names of the fields in the data.
struct OrderPlaced {
  static constexpr std::string_view kType = "OrderPlaced";
  std::string_view customer;
  std::int64_t cents = 0;
  static constexpr auto kFields =
      std::tuple(data_field("customer", &OrderPlaced::customer), data_field("cents", &OrderPlaced::cents));
};

// A row: its key, how an event changes it, and its JSON.
struct CustomerTotals {
  std::int64_t orders = 0;
  std::int64_t cents = 0;

  static std::string_view key(const OrderPlaced& event) { return event.customer; }

  Status apply(const OrderPlaced& event) {
    if (event.cents < 0) return make_error(Errc::kInvalidArgument, "an order of less than nothing");
    ++orders;
    cents += event.cents;
    return {};
  }

  void append_json(std::string& to) const {
    to += R"({"orders":)" + std::to_string(orders) + R"(,"cents":)" + std::to_string(cents) + "}";
  }
};

Result<GlobalPosition> place_order(EventStore& store, const std::string& stream, const std::string& customer,
                                   std::int64_t cents) {
  NewEvent event;
  event.type = OrderPlaced::kType;
  event.data = R"({"customer":")" + customer + R"(","cents":)" + std::to_string(cents) + "}";
  AppendRequest request;
  request.streams.push_back({stream, ExpectedVersion::any(), {std::move(event)}});
  CAIRN_TRY(const AppendResult appended, store.append(std::move(request)));
  return appended.streams[0].last_position;
}

Status run(const std::filesystem::path& folder) {
  // The store, its schemas and upcasters, and the daemon that builds read models.
  CAIRN_TRY(const auto engine, Engine::open(folder));
  EventStore& store = engine->store();
  ProjectionDaemon& daemon = *engine->daemon();

  // With another revision the rows are rebuilt beside the ones that answer queries.
  CAIRN_CHECK(daemon.add(make_typed_projection<CustomerTotals, OrderPlaced>(
      {.name = "customer_totals", .revision = "1", .categories = {"order"}})));
  CAIRN_CHECK(engine->start());

  GlobalPosition last;
  for (int i = 1; i <= 5; ++i) {
    CAIRN_TRY(last, place_order(store, "order-" + std::to_string(i), i % 2 == 0 ? "bob" : "ada", 100 * i));
  }

  // The daemon follows the log by itself. To read your own write, wait for its position.
  std::promise<bool> reached;
  daemon.wait_for("customer_totals", last, std::chrono::seconds(10),
                  [&](bool there) { reached.set_value(there); });
  if (!reached.get_future().get()) return make_error(Errc::kOverloaded, "the rows are not there yet");

  CAIRN_TRY(const RowsAnswer answer, daemon.rows("customer_totals", {}));
  for (const RowsAnswer::Row& row : answer.rows) std::cout << row.key << ' ' << row.json << '\n';
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: embedded FOLDER\n";
    return 2;
  }
  const cairn::Status status = run(argv[1]);
  if (!status) std::cerr << "embedded: " << status.error().message << '\n';
  return status ? 0 : 1;
}

// A program with a store inside: it appends some events and keeps a read model of them with a projection in
// C++.

#include <chrono>
#include <filesystem>
#include <future>
#include <iostream>
#include <string>

#include "eventstore/event_store.h"
#include "projections/daemon/projection_daemon.h"
#include "projections/typed_projection.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/event_shapes.h"

namespace {

using namespace cairn;

// What the projection looks at of an event: members, and what the fields are called in the data.
struct OrderPlaced {
  static constexpr std::string_view kType = "OrderPlaced";
  std::string_view customer;
  std::int64_t cents = 0;
  static constexpr auto kFields =
      std::tuple(data_field("customer", &OrderPlaced::customer), data_field("cents", &OrderPlaced::cents));
};

// A row: what it is kept by, what an event makes of it, and how it is shown.
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
  // The store, the schemas it knows, and events in their newest shape. Each has to outlive what stands below.
  CAIRN_TRY(const auto store, EventStore::open(folder, {}));
  CAIRN_TRY(const auto registry, SchemaRegistry::open(*store));
  CAIRN_TRY(const auto shapes, EventShapes::open(*store, *registry));
  CAIRN_TRY(const auto daemon, ProjectionDaemon::open(*store, *shapes, folder));

  // With another revision the rows are built anew, beside those there are.
  CAIRN_CHECK(daemon->add(make_typed_projection<CustomerTotals, OrderPlaced>(
      {.name = "customer_totals", .revision = "1", .categories = {"order"}})));
  daemon->start();

  GlobalPosition last;
  for (int i = 1; i <= 5; ++i) {
    CAIRN_TRY(last, place_order(*store, "order-" + std::to_string(i), i % 2 == 0 ? "bob" : "ada", 100 * i));
  }

  // The daemon follows by itself. Whoever wants to read what he has written waits for its position.
  std::promise<bool> reached;
  daemon->wait_for("customer_totals", last, std::chrono::seconds(10),
                   [&](bool there) { reached.set_value(there); });
  if (!reached.get_future().get()) return make_error(Errc::kOverloaded, "the rows are not there yet");

  CAIRN_TRY(const RowsAnswer answer, daemon->rows("customer_totals", {}));
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

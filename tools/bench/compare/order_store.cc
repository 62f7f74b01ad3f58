#include "tools/bench/compare/order_store.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "eventstore/json/json_writer.h"
#include "schemaregistry/events/event_codecs.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

namespace {

constexpr const char* kType = "OrderPlaced";

std::string order_json(std::uint64_t i) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("order_id", "0191f3c2-" + std::to_string(1'000'000 + i * 7'919 % 900'000));
  json.text("customer", "customer-" + std::to_string(i * 31 % 5'000));
  json.number("quantity", 1 + i % 12);
  json.number("total", 199 + i * 7'919 % 20'000);
  json.text("channel", "web");
  json.end_object();
  return text;
}

Status register_schema(SchemaRegistry& registry, std::string_view schema) {
  Registration wanted{kType, {std::string(schema), {}}};
  wanted.check = CheckCompatibility::kNo;
  const auto id = registry.register_schema(wanted);
  return id ? Status() : make_error(Errc::kInvalidArgument, id.error().message);
}

}  // namespace

Result<std::unique_ptr<OrderStore>> OrderStore::make_new(const std::filesystem::path& folder,
                                                         const ReplaySet& set, std::string_view first,
                                                         std::string_view second, const std::string& script) {
  CAIRN_TRY(auto engine, make_new_engine(folder));
  std::unique_ptr<OrderStore> orders(new OrderStore(std::move(engine)));
  CAIRN_CHECK(register_schema(orders->engine_->registry(), first));
  CAIRN_CHECK(orders->fill(set));
  CAIRN_CHECK(register_schema(orders->engine_->registry(), second));
  if (!script.empty()) {
    if (!orders->shapes().deployer().deploy({.source = script}, {})) {
      return make_error(Errc::kInvalidArgument, "the upcaster of the comparison was refused");
    }
  }
  return orders;
}

Status OrderStore::fill(const ReplaySet& set) {
  EventCodecs codecs(engine_->registry());
  CAIRN_TRY(const auto codec, codecs.for_type(kType, 1));
  for (std::uint64_t event = 0; event < set.events;) {
    AppendRequest request;
    for (std::uint64_t i = 0; i < set.request_events && event < set.events; ++i, ++event) {
      NewEvent order;
      order.type = kType;
      order.schema = codec->schema().id;
      if (!codec->encoder().encode(order_json(event), order.data).empty()) {
        return make_error(Errc::kInvalidArgument, "an order does not fit its schema: " + order_json(event));
      }
      request.streams.push_back(
          {StreamSet::name(set.stream(event)), ExpectedVersion::any(), {std::move(order)}});
    }
    CAIRN_CHECK(store().append(std::move(request)));
  }
  return store().flush_index();
}

}  // namespace cairn::bench

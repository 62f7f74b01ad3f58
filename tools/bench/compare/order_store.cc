#include "tools/bench/compare/order_store.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "schemaregistry/events/event_codecs.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

namespace {

constexpr const char* kType = "OrderPlaced";

std::string order_json(std::uint64_t i) {
  return R"({"order_id":"0191f3c2-)" + std::to_string(1'000'000 + i * 7'919 % 900'000) +
         R"(","customer":"customer-)" + std::to_string(i * 31 % 5'000) + R"(","quantity":)" +
         std::to_string(1 + i % 12) + R"(,"total":)" + std::to_string(199 + i * 7'919 % 20'000) +
         R"(,"channel":"web"})";
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
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
  std::unique_ptr<OrderStore> orders(new OrderStore(std::move(bench)));
  CAIRN_TRY(orders->registry_, SchemaRegistry::open(orders->store()));
  CAIRN_CHECK(register_schema(*orders->registry_, first));
  CAIRN_CHECK(orders->fill(set));
  CAIRN_CHECK(register_schema(*orders->registry_, second));
  CAIRN_TRY(orders->shapes_, EventShapes::open(orders->store(), *orders->registry_));
  if (!script.empty()) {
    const auto outcome = orders->shapes_->deployer().deploy({.source = script}, {});
    if (!std::holds_alternative<Deployed>(outcome)) {
      return make_error(Errc::kInvalidArgument, "the upcaster of the comparison was refused");
    }
  }
  return orders;
}

Status OrderStore::fill(const ReplaySet& set) {
  EventCodecs codecs(*registry_);
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

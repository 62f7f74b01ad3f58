#include "tools/bench/compare/purchase_store.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "eventstore/json/json_writer.h"
#include "projections/typed_projection.h"
#include "schemaregistry/events/event_codecs.h"
#include "tools/bench/interrupt.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

namespace {

constexpr unsigned kDaemonThreads = 2;

using Clock = std::chrono::steady_clock;

constexpr const char* kType = "Purchased";
constexpr std::string_view kSchema = R"({"type":"record","name":"Purchased","fields":[
  {"name":"order","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"int"},
  {"name":"cents","type":"long"},{"name":"channel","type":"string"}]})";

constexpr const char* kScript = R"(return projection {
  key = function(event) return event.data.customer end,
  on = { Purchased = function(row, event)
    row.purchases = (row.purchases or 0) + 1
    row.cents = (row.cents or 0) + event.data.cents
  end },
}
)";

struct Purchased {
  static constexpr std::string_view kType = "Purchased";
  std::string_view customer;
  std::int64_t cents = 0;
  static constexpr auto kFields =
      std::tuple(data_field("customer", &Purchased::customer), data_field("cents", &Purchased::cents));
};

struct CustomerRow {
  std::int64_t purchases = 0;
  std::int64_t cents = 0;

  static std::string_view key(const Purchased& event) { return event.customer; }
  void apply(const Purchased& event) {
    ++purchases;
    cents += event.cents;
  }
  void append_json(std::string& to) const {
    JsonWriter json(to);
    json.begin_object();
    json.raw("cents", std::to_string(cents));
    json.raw("purchases", std::to_string(purchases));
    json.end_object();
  }
};

// As in a group commit of 64 writers.
constexpr std::uint64_t kEventsPerAppend = 64;

std::string purchase_json(const Purchases::Purchase& purchase) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("order", purchase.order);
  json.text("customer", Purchases::name(purchase.customer));
  json.raw("quantity", std::to_string(purchase.quantity));
  json.raw("cents", std::to_string(purchase.cents));
  json.text("channel", purchase.channel);
  json.end_object();
  return text;
}

PurchaseStore::Growth growth_since(const ProcessMemory& before) {
  const ProcessMemory now = process_memory();
  return {static_cast<std::int64_t>(now.anonymous) - static_cast<std::int64_t>(before.anonymous),
          static_cast<std::int64_t>(now.file) - static_cast<std::int64_t>(before.file)};
}

}  // namespace

Result<std::unique_ptr<PurchaseStore>> PurchaseStore::make_new(const std::filesystem::path& folder,
                                                               const Purchases& purchases) {
  CAIRN_TRY(auto engine, make_new_engine(folder, kDaemonThreads));
  std::unique_ptr<PurchaseStore> made(new PurchaseStore(std::move(engine), purchases));
  const auto id = made->engine_->registry().register_schema({kType, {std::string(kSchema), {}}});
  if (!id) return make_error(Errc::kInvalidArgument, id.error().message);
  CAIRN_CHECK(made->fill());
  CAIRN_TRY(made->growth_cpp_, made->start_cpp());
  CAIRN_TRY(made->growth_lua_, made->deploy_lua());
  return made;
}

Status PurchaseStore::fill() {
  EventCodecs codecs(engine_->registry());
  CAIRN_TRY(const auto codec, codecs.for_type(kType, 1));
  for (std::uint64_t event = 0; event < purchases_.events;) {
    AppendRequest request;
    for (std::uint64_t i = 0; i < kEventsPerAppend && event < purchases_.events; ++i, ++event) {
      const Purchases::Purchase purchase = purchases_.at(event);
      NewEvent made;
      made.type = kType;
      made.schema = codec->schema().id;
      if (!codec->encoder().encode(purchase_json(purchase), made.data).empty()) {
        return make_error(Errc::kInvalidArgument, "a purchase does not fit its schema");
      }
      request.streams.push_back(
          {StreamSet::name(purchase.customer), ExpectedVersion::any(), {std::move(made)}});
    }
    CAIRN_CHECK(engine_->store().append(std::move(request)));
  }
  return engine_->store().flush_index();
}

Result<PurchaseStore::Growth> PurchaseStore::start_cpp() {
  const ProcessMemory before = process_memory();
  CAIRN_CHECK(
      engine_->daemon()->add(make_typed_projection<CustomerRow, Purchased>({.name = kCpp, .revision = "1"})));
  CAIRN_CHECK(engine_->start());
  CAIRN_CHECK(wait_until_built(kCpp, 1));
  return growth_since(before);
}

Result<PurchaseStore::Growth> PurchaseStore::deploy_lua() {
  const ProcessMemory before = process_memory();
  if (!engine_->daemon()->deploy({.name = kLua, .source = kScript, .file = "purchases.lua"})) {
    return make_error(Errc::kInvalidArgument, "the projection of the comparison was refused");
  }
  CAIRN_CHECK(wait_until_built(kLua, 1));
  return growth_since(before);
}

Status PurchaseStore::wait_until_built(const std::string& projection, std::uint64_t generation) {
  while (!interrupted()) {
    const auto status = engine_->daemon()->status(projection);
    if (!status || status->state == ProjectionState::kFaulted || status->state == ProjectionState::kPaused ||
        status->parked_keys > 0) {
      return make_error(Errc::kCorruption,
                        "the projection does not go on: " + (status ? status->reason : ""));
    }
    if (status->generation >= generation && !status->rebuild) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return make_error(Errc::kFailedPrecondition, "interrupted");
}

Result<double> PurchaseStore::rebuild(const std::string& projection) {
  const auto began = Clock::now();
  CAIRN_TRY(const ProjectionStatus begun, engine_->daemon()->rebuild(projection, std::nullopt));
  CAIRN_CHECK(wait_until_built(projection, begun.generation + 1));
  const std::chrono::duration<double> taken = Clock::now() - began;
  return static_cast<double>(purchases_.events) / taken.count();
}

Result<std::vector<Purchases::Totals>> PurchaseStore::totals(const std::string& projection) {
  std::vector<Purchases::Totals> all(purchases_.customers);
  RowsQuery query;
  query.limit = 10'000;
  while (true) {
    CAIRN_TRY(const RowsAnswer page, engine_->daemon()->rows(projection, query));
    for (const RowsAnswer::Row& row : page.rows) {
      const std::uint64_t customer = std::stoull(row.key.substr(Purchases::name(0).size() - 1));
      if (customer >= all.size()) return make_error(Errc::kCorruption, "there is no customer " + row.key);
      const auto json = nlohmann::json::parse(row.json);
      all[customer] = {json.at("purchases"), json.at("cents")};
    }
    if (!page.next) return all;
    query.after = *page.next;
  }
}

}  // namespace cairn::bench

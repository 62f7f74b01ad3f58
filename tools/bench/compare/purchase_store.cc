#include "tools/bench/compare/purchase_store.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "projections/typed_projection.h"
#include "schemaregistry/events/event_codecs.h"
#include "tools/bench/interrupt.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

namespace {

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
    to += R"({"cents":)" + std::to_string(cents) + R"(,"purchases":)" + std::to_string(purchases) + "}";
  }
};

// As 64 waiting writers leave them.
constexpr std::uint64_t kEventsPerAppend = 64;

std::string purchase_json(const Purchases::Purchase& purchase) {
  return R"({"order":")" + purchase.order + R"(","customer":")" + Purchases::name(purchase.customer) +
         R"(","quantity":)" + std::to_string(purchase.quantity) + R"(,"cents":)" +
         std::to_string(purchase.cents) + R"(,"channel":")" + purchase.channel + "\"}";
}

PurchaseStore::Growth growth_since(const ProcessMemory& before) {
  const ProcessMemory now = process_memory();
  return {static_cast<std::int64_t>(now.anonymous) - static_cast<std::int64_t>(before.anonymous),
          static_cast<std::int64_t>(now.file) - static_cast<std::int64_t>(before.file)};
}

}  // namespace

Result<std::unique_ptr<PurchaseStore>> PurchaseStore::make_new(const std::filesystem::path& folder,
                                                               const Purchases& purchases) {
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
  std::unique_ptr<PurchaseStore> made(new PurchaseStore(std::move(bench), purchases));
  CAIRN_TRY(made->registry_, SchemaRegistry::open(made->bench_.store()));
  const auto id = made->registry_->register_schema({kType, {std::string(kSchema), {}}});
  if (!id) return make_error(Errc::kInvalidArgument, id.error().message);
  CAIRN_CHECK(made->fill());
  CAIRN_TRY(made->shapes_, EventShapes::open(made->bench_.store(), *made->registry_));
  CAIRN_TRY(made->growth_cpp_, made->start_cpp());
  CAIRN_TRY(made->growth_lua_, made->deploy_lua());
  return made;
}

Status PurchaseStore::fill() {
  EventCodecs codecs(*registry_);
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
    CAIRN_CHECK(bench_.store().append(std::move(request)));
  }
  return bench_.store().flush_index();
}

Result<PurchaseStore::Growth> PurchaseStore::start_cpp() {
  const ProcessMemory before = process_memory();
  CAIRN_TRY(daemon_, ProjectionDaemon::open(bench_.store(), *shapes_, bench_.folder(), {.threads = 2}));
  CAIRN_CHECK(daemon_->add(make_typed_projection<CustomerRow, Purchased>({.name = kCpp, .revision = "1"})));
  daemon_->start();
  CAIRN_CHECK(wait_until_built(kCpp, 1));
  return growth_since(before);
}

Result<PurchaseStore::Growth> PurchaseStore::deploy_lua() {
  const ProcessMemory before = process_memory();
  const auto outcome = daemon_->deploy({.name = kLua, .source = kScript, .file = "purchases.lua"});
  if (!std::holds_alternative<ProjectionDeployment>(outcome)) {
    return make_error(Errc::kInvalidArgument, "the projection of the comparison was refused");
  }
  CAIRN_CHECK(wait_until_built(kLua, 1));
  return growth_since(before);
}

Status PurchaseStore::wait_until_built(const std::string& projection, std::uint64_t generation) {
  while (!interrupted()) {
    const auto status = daemon_->status(projection);
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
  CAIRN_TRY(const ProjectionStatus begun, daemon_->rebuild(projection, std::nullopt));
  CAIRN_CHECK(wait_until_built(projection, begun.generation + 1));
  const std::chrono::duration<double> taken = Clock::now() - began;
  return static_cast<double>(purchases_.events) / taken.count();
}

Result<std::vector<Purchases::Totals>> PurchaseStore::totals(const std::string& projection) {
  std::vector<Purchases::Totals> all(purchases_.customers);
  RowsQuery query;
  query.limit = 10'000;
  while (true) {
    CAIRN_TRY(const RowsAnswer page, daemon_->rows(projection, query));
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

// The cost of reading old events in their newest shape.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/compare/order_store.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/compare/value_sink.h"
#include "tools/bench/figures.h"
#include "upcasters/shaping/pipeline.h"

namespace cairn::bench {
namespace {

constexpr std::string_view kWritten = R"({"type":"record","name":"OrderPlaced","fields":[
  {"name":"order_id","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"int"},
  {"name":"total","type":"double"},{"name":"channel","type":"string"}]})";
// A field is removed, one is wider, one is new.
constexpr std::string_view kCompatible = R"({"type":"record","name":"OrderPlaced","fields":[
  {"name":"order_id","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"long"},
  {"name":"total","type":"double"},{"name":"currency","type":"string","default":"EUR"}]})";
// A number means something else.
constexpr std::string_view kOther = R"({"type":"record","name":"OrderPlaced","fields":[
  {"name":"order_id","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"int"},
  {"name":"total_cents","type":"long"},{"name":"channel","type":"string"}]})";

std::string script(const std::string& remark) {
  return "-- " + remark + R"(
return upcaster {
  type = "OrderPlaced", from = 1, to = 2,
  upcast = function(data)
    data.total_cents = math.tointeger(data.total * 100)
    data.total = nil
    return data
  end,
}
)";
}

// Looks at every value of every event.
class Sum final : public ReplayRange {
 public:
  bool take(const EventView&, std::span<const ShapedEvent> parts) override {
    for (const ShapedEvent& part : parts) {
      values_.clear();
      if (!part.read(values_)) return false;
      sum += values_.sum();
      ++events;
    }
    return true;
  }
  bool fail(const EventView&, const ShapeFault&) override { return false; }

  std::uint64_t events = 0;
  std::uint64_t sum = 0;

 private:
  ValueSink values_;
};

// Replays repeatedly for about a second and returns the mean rate.
std::function<Result<double>()> replay_turn(OrderStore& orders, std::uint64_t expected, unsigned threads) {
  return [&orders, expected, threads]() -> Result<double> {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> taken{0};
    std::uint64_t events = 0;
    std::uint64_t turns = 0;
    do {
      const ReplayConsumer consumer{[](Shaper&) { return std::make_unique<Sum>(); },
                                    [&](std::unique_ptr<ReplayRange> range, GlobalPosition) {
                                      events += static_cast<Sum&>(*range).events;
                                      return true;
                                    }};
      CAIRN_CHECK(replay(orders.store(), orders.shapes().shapers(),
                         {.filter = {{}, {"OrderPlaced"}}, .threads = threads}, consumer));
      if (events != ++turns * expected) return make_error(Errc::kCorruption, "events are missing");
      taken = std::chrono::steady_clock::now() - began;
    } while (taken.count() < 1);
    return static_cast<double>(events) / taken.count();
  };
}

std::function<Result<double>()> dry_run_turn(OrderStore& orders, std::uint64_t expected) {
  return [&orders, expected]() -> Result<double> {
    const auto began = std::chrono::steady_clock::now();
    const auto deployed =
        orders.shapes().deployer().deploy({.source = script("the same again")}, {.dry_run = DryRun::kYes});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    if (!deployed || deployed->report.checked != expected) {
      return make_error(Errc::kCorruption, "the dry run did not see every event");
    }
    return static_cast<double>(expected) / taken.count();
  };
}

}  // namespace

Result<Rows> measure_shapes(Setting& setting, const ReplaySet& set,
                            const std::function<Result<double>()>& postgres_copy) {
  CAIRN_TRY(const auto compatible,
            OrderStore::make_new(setting.folder / "shapes-compatible", set, kWritten, kCompatible, ""));
  CAIRN_TRY(const auto scripted, OrderStore::make_new(setting.folder / "shapes-scripted", set, kWritten,
                                                      kOther, script("euros to cents")));

  std::vector<Contender> all;
  all.push_back({"PostgreSQL, binary COPY", "events/s", postgres_copy});
  all.push_back({"Cairn, compatible, one thread", "events/s", replay_turn(*compatible, set.events, 1)});
  all.push_back({"Cairn, compatible, two threads", "events/s", replay_turn(*compatible, set.events, 2)});
  all.push_back({"Cairn, one script, one thread", "events/s", replay_turn(*scripted, set.events, 1)});
  all.push_back({"Cairn, one script, two threads", "events/s", replay_turn(*scripted, set.events, 2)});
  all.push_back({"Cairn, dry run, two threads", "events/s", dry_run_turn(*scripted, set.events)});
  CAIRN_CHECK(run_rounds("shapes", all, setting.scale.rounds));

  Rows rows;
  const auto add = [&](std::size_t contender, const std::string& work, std::optional<double> goal) {
    const double rate = median(all[contender].samples);
    rows.push_back({.work = work, .cairn = rate_text(rate)});
    rows.back().postgres = rate_text(median(all[0].samples));
    rows.back().ratio = ratio_text(median_ratio(all[contender], all[0]));
    if (!goal) return;
    rows.back().goal = "≥ " + rate_text(*goal);
    rows.back().verdict = at_least(rate, *goal);
  };
  add(1, "replay as a newer schema, to values, one thread", 4e6);
  rows.back().note = "orders of 5 fields, all of the first version; every value is looked at";
  add(2, "the same, two threads", std::nullopt);
  const double scaling = median_ratio(all[2], all[1]);
  rows.back().goal = "≥ 1.6x of one";
  rows.back().note = ratio_text(scaling) + " of one thread";
  rows.back().verdict = at_least(scaling, 1.6);
  add(3, "replay through one Lua upcaster, one thread", 0.7e6);
  add(4, "the same, two threads", std::nullopt);
  add(5, "dry run of an upcaster, two threads", 1e6);
  rows.back().samples = std::move(all);
  return rows;
}

}  // namespace cairn::bench

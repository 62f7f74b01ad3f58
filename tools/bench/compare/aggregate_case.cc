// States of streams, folded from all their events and from snapshots.

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "eventstore/json/json_writer.h"
#include "schemaregistry/events/event_codecs.h"
#include "tools/bench/compare/bench_engine.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kType = "Moved";
constexpr std::string_view kSchema = R"({"type":"record","name":"Moved","fields":[
  {"name":"cents","type":"long"},{"name":"to","type":"string"},{"name":"text","type":"string"}]})";
constexpr std::uint64_t kLongStream = 50'000;
constexpr std::uint64_t kEventsEach = 20;

std::string script(const std::string& category, std::uint64_t remark) {
  return "-- " + std::to_string(remark) + "\nreturn aggregate {\n  category = \"" + category + R"(",
  initial = function() return { cents = 0, moves = 0 } end,
  on = { Moved = function(state, event)
    state.cents = state.cents + event.data.cents
    state.moves = state.moves + 1
    state.last = event.data.to
  end },
}
)";
}

// A store of accounts: one with many moves, and many with few.
class AccountStore {
 public:
  static Result<std::unique_ptr<AccountStore>> make_new(const std::filesystem::path& folder,
                                                        std::uint64_t streams) {
    CAIRN_TRY(auto engine, make_new_engine(folder));
    std::unique_ptr<AccountStore> made(new AccountStore(std::move(engine)));
    const auto id = made->engine_->registry().register_schema({kType, {std::string(kSchema), {}}});
    if (!id) return make_error(Errc::kInvalidArgument, id.error().message);
    CAIRN_CHECK(made->fill(streams));
    return made;
  }

  AggregateStates& states() { return engine_->states(); }

  // Another source, so that snapshots of the one before no longer count.
  Status redeploy(const std::string& category) {
    if (states().aggregates().deploy({.source = script(category, ++deployed_)})) return {};
    return make_error(Errc::kInvalidArgument, "the aggregate of the comparison was refused");
  }

 private:
  explicit AccountStore(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Status fill(std::uint64_t streams) {
    EventCodecs codecs(engine_->registry());
    CAIRN_TRY(const auto codec, codecs.for_type(kType, 1));
    const auto move = [&](std::uint64_t i) {
      NewEvent event;
      event.type = kType;
      event.schema = codec->schema().id;
      std::string data;
      JsonWriter json(data);
      json.begin_object();
      json.number("cents", i % 9'973);
      json.text("to", "account-" + std::to_string(i % 977));
      json.text("text", "rent for the month of November");
      json.end_object();
      codec->encoder().encode(data, event.data);
      return event;
    };
    for (std::uint64_t i = 0; i < kLongStream; i += 1'000) {
      StreamAppend append{"long-1", ExpectedVersion::any(), {}};
      for (std::uint64_t k = 0; k < 1'000; ++k) append.events.push_back(move(i + k));
      AppendRequest request;
      request.streams.push_back(std::move(append));
      CAIRN_CHECK(engine_->store().append(std::move(request)));
    }
    for (std::uint64_t i = 0; i < streams; i += 100) {
      AppendRequest request;
      for (std::uint64_t k = i; k < std::min(i + 100, streams); ++k) {
        request.streams.push_back({"account-" + std::to_string(k), ExpectedVersion::no_stream(), {}});
        for (std::uint64_t n = 0; n < kEventsEach; ++n) request.streams.back().events.push_back(move(k + n));
      }
      CAIRN_CHECK(engine_->store().append(std::move(request)));
    }
    return engine_->store().flush_index();
  }

  std::unique_ptr<Engine> engine_;
  std::uint64_t deployed_ = 0;
};

// States of the long stream a second, for about half a second.
Result<double> state_rate(AccountStore& store, std::uint64_t expected_folded_max) {
  const auto began = Clock::now();
  std::chrono::duration<double> taken{0};
  double states = 0;
  do {
    const auto state = store.states().state_at("long-1", StateQuery::head());
    if (!state || state->events_folded > expected_folded_max) {
      return make_error(Errc::kCorruption, "the state was not made as it should be");
    }
    ++states;
    taken = Clock::now() - began;
  } while (taken.count() < 0.5);
  return states / taken.count();
}

}  // namespace

Result<Rows> measure_aggregates(Setting& setting) {
  const std::uint64_t streams = setting.scale.streams;
  CAIRN_TRY(const auto store, AccountStore::make_new(setting.folder / "aggregates", streams));

  std::vector<Contender> all;
  all.push_back({"Cairn, state of 50,000 events, folded", "states/s", [&]() -> Result<double> {
                   CAIRN_CHECK(store->redeploy("long"));
                   return state_rate(*store, kLongStream);
                 }});
  all.push_back({"Cairn, the same with a snapshot", "states/s", [&]() -> Result<double> {
                   CAIRN_CHECK(store->redeploy("long"));
                   if (!store->states().snapshot_stream("long-1")) {
                     return make_error(Errc::kCorruption, "there is no snapshot");
                   }
                   return state_rate(*store, 0);
                 }});
  all.push_back({"Cairn, snapshots of all streams, two threads", "events/s", [&]() -> Result<double> {
                   CAIRN_CHECK(store->redeploy("account"));
                   const auto began = Clock::now();
                   CAIRN_TRY(const SnapshotReport report, store->states().snapshot_all("account"));
                   const std::chrono::duration<double> taken = Clock::now() - began;
                   if (report.made != streams || report.events_folded != streams * kEventsEach) {
                     return make_error(Errc::kCorruption, "not all streams were snapshotted");
                   }
                   return static_cast<double>(report.events_folded) / taken.count();
                 }});
  CAIRN_CHECK(run_rounds("aggregates", all, setting.scale.rounds));

  Rows rows;
  const double folded = median(all[0].samples);
  rows.push_back({.work = "fold of a stream of 50,000 events, Lua, one thread",
                  .cairn = rate_text(folded * static_cast<double>(kLongStream))});
  rows.back().goal = "≥ 800 k/s";
  rows.back().verdict = at_least(folded * static_cast<double>(kLongStream), 0.8e6);
  rows.back().note = "events of 3 fields, of which the script looks at 2";
  const double gain = median_ratio(all[1], all[0]);
  rows.push_back({.work = "its state with a snapshot", .cairn = micros_text(1e6 / median(all[1].samples))});
  rows.back().ratio = ratio_text(gain) + " of without";
  rows.back().goal = "≥ 100x of without";
  rows.back().verdict = at_least(gain, 100);
  const double all_streams = median(all[2].samples);
  rows.push_back(
      {.work = "snapshots of all streams of 20 events, two threads", .cairn = rate_text(all_streams)});
  rows.back().goal = "≥ 500 k/s";
  rows.back().verdict = at_least(all_streams, 0.5e6);
  rows.back().note = std::to_string(streams) + " streams; on disk when it is over";
  rows.back().samples = std::move(all);
  return rows;
}

}  // namespace cairn::bench

#include "tools/bench/compare/append_turns.h"

#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

struct CairnTarget {
  BenchStore bench;
  StreamSet streams;
};

}  // namespace

std::string CairnTurn::note() const {
  return "p50 " + micros_text(outcome.latency.quantile_us(0.5)) + ", p99 " +
         micros_text(outcome.latency.quantile_us(0.99)) + ", " +
         rate_text(static_cast<double>(work.commits) / outcome.seconds) + " commits of " +
         std::to_string(static_cast<std::uint64_t>(work.events_per_commit() + 0.5)) + " events, " +
         micros_text(work.commit_us) + " each, " + std::to_string(work.flushes) + " flushes in the last turn";
}

Result<Contender> cairn_appends(const std::string& label, const std::filesystem::path& folder,
                                const AppendLoad& load, std::size_t streams, const Payloads& payloads,
                                CairnTurn& last) {
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
  auto target = std::make_shared<CairnTarget>(CairnTarget{std::move(bench), StreamSet(streams)});
  Contender contender{label, "events/s", {}};
  contender.turn = [target, load, &payloads, &last]() -> Result<double> {
    EventStore& store = target->bench.store();
    const StoreStats before = store.stats();
    CAIRN_TRY(last.outcome, run_appends(store, load, target->streams, payloads));
    last.work = work_between(before, store.stats());
    CAIRN_CHECK(store.flush_index());
    return last.outcome.events_per_second();
  };
  return contender;
}

Result<Contender> peer_appends(const std::string& label, Peer& peer, const AppendLoad& load,
                               std::size_t streams, const Payloads& payloads) {
  CAIRN_CHECK(peer.start_table(load.client_ids));
  auto versions = std::make_shared<StreamSet>(streams);
  Contender contender{label, "events/s", {}};
  contender.turn = [versions, load, &peer, &payloads]() -> Result<double> {
    CAIRN_TRY(const AppendOutcome outcome, run_appends(peer, load, *versions, payloads));
    CAIRN_CHECK(peer.settle());
    return outcome.events_per_second();
  };
  return contender;
}

}  // namespace cairn::bench

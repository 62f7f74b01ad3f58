#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "eventstore/store_copy.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/interrupt.h"

// Events with two tags and a correlation id each, beside the same events without: one tag that a hundred events
// have, one that each event has alone, and a correlation id that each event has alone. All of it is in the index.
namespace cairn::bench {
namespace {

constexpr double kGoalShare = 0.85;
constexpr double kGoalBytes = 12;
constexpr double kGoalRebuild = 1e6;
constexpr std::size_t kTerms = 3;  // of an event, beside its category and type
constexpr std::size_t kFillEvents = 1'000;
constexpr unsigned kWriters = 64;

enum class Terms { kNone, kThree };

void add_terms(NewEvent& event, Terms terms, std::uint64_t number, std::uint64_t events) {
  if (terms == Terms::kNone) return;
  const Uuid correlation = make_uuid_v7(number, number * 0x9E3779B97F4A7C15, number * 0xD6E8FEB86659FD93);
  event.tags = {fmt::format("customer:{}", number * 0x9E3779B97F4A7C15 % (events / 100)),
                fmt::format("order:{}", number)};
  event.metadata = fmt::format(R"({{"correlationId":"{}"}})", correlation.to_string());
}

// A store of ten events a stream, appended 1,000 at a time.
class TermsStore {
 public:
  static Result<TermsStore> fill(const std::filesystem::path& folder, std::size_t streams, Terms terms,
                                 const Payloads& payloads) {
    CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
    TermsStore filled(std::move(bench), streams, terms);
    const auto began = std::chrono::steady_clock::now();
    for (std::uint64_t pass = 0; pass < 10; ++pass) {
      for (std::size_t from = 0; from < streams && !interrupted(); from += kFillEvents) {
        AppendRequest request;
        for (std::size_t stream = from; stream < std::min(streams, from + kFillEvents); ++stream)
          filled.add(request, stream, payloads);
        CAIRN_CHECK(filled.store().append(std::move(request)));
      }
    }
    if (interrupted()) return make_error(Errc::kFailedPrecondition, "interrupted");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::fprintf(stderr, "filled a store with %zu events %s terms in %.1f s\n", streams * 10,
                 terms == Terms::kNone ? "without" : "with three", took.count());
    return filled;
  }

  EventStore& store() { return bench_.store(); }
  BenchStore& bench() { return bench_; }

  // The rate of writers that wait for each append.
  Result<double> append_turn(const Setting& setting) {
    AppendSessions sessions;
    for (unsigned i = 0; i < kWriters; ++i)
      sessions.push_back(std::make_unique<Session>(*this, setting.payloads, i));
    AppendLoad load;
    load.writers = kWriters;
    load.duration = setting.scale.turn;
    CAIRN_TRY(const AppendOutcome outcome, drive_appends(load, streams_, sessions));
    CAIRN_CHECK(store().flush_index());
    return outcome.events_per_second();
  }

  // Builds the index from the log, in a start of the store; events a second.
  Result<double> rebuild_turn() {
    const double events = static_cast<double>(store().head().value);
    bench_.close();
    std::filesystem::remove_all(bench_.folder() / "index");
    const auto began = std::chrono::steady_clock::now();
    CAIRN_CHECK(bench_.reopen());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return events / took.count();
  }

  // Of the index without unused pages, as a copy has it.
  Result<double> index_bytes(const std::filesystem::path& scratch) {
    CAIRN_CHECK(store().flush_index());
    bench_.close();
    CAIRN_CHECK(copy_store(bench_.folder(), scratch, {.check = CopyCheck::kNothing, .progress = {}}));
    const auto bytes = static_cast<double>(std::filesystem::file_size(scratch / "index" / "data.mdb"));
    std::filesystem::remove_all(scratch);
    CAIRN_CHECK(bench_.reopen());
    return bytes;
  }

 private:
  class Session final : public AppendSession {
   public:
    Session(TermsStore& target, const Payloads& payloads, unsigned number)
        : target_(target), payloads_(payloads), next_(std::uint64_t{number} << 40) {}
    Status append(const AppendCall& call) override {
      AppendRequest request = make_request(call, payloads_, ClientIds::kNo);
      for (NewEvent& event : request.streams[0].events)
        add_terms(event, target_.terms_, ++next_, target_.streams_.size() * 10);
      CAIRN_CHECK(target_.store().append(std::move(request)));
      return {};
    }

   private:
    TermsStore& target_;
    const Payloads& payloads_;
    std::uint64_t next_;
  };

  TermsStore(BenchStore bench, std::size_t streams, Terms terms)
      : bench_(std::move(bench)), streams_(streams), terms_(terms) {}

  void add(AppendRequest& request, std::size_t stream, const Payloads& payloads) {
    StreamAppend& append = request.streams.emplace_back();
    append.stream = StreamSet::name(stream);
    append.expected = ExpectedVersion::exactly(streams_.version(stream));
    NewEvent& event = append.events.emplace_back();
    event.type = payloads.type(next_);
    event.data = payloads.data(next_);
    add_terms(event, terms_, ++next_, streams_.size() * 10);
    streams_.advance(stream, 1);
  }

  BenchStore bench_;
  StreamSet streams_;
  Terms terms_;
  std::uint64_t next_ = 0;
};

}  // namespace

Result<Rows> measure_terms(Setting& setting) {
  const std::size_t streams = setting.scale.big_streams;
  CAIRN_TRY(TermsStore plain,
            TermsStore::fill(setting.folder / "plain", streams, Terms::kNone, setting.payloads));
  CAIRN_TRY(TermsStore tagged,
            TermsStore::fill(setting.folder / "terms", streams, Terms::kThree, setting.payloads));
  const double events = static_cast<double>(streams) * 10;

  CAIRN_TRY(const double plain_bytes, plain.index_bytes(setting.folder / "copy"));
  CAIRN_TRY(const double tagged_bytes, tagged.index_bytes(setting.folder / "copy"));
  const double bytes = (tagged_bytes - plain_bytes) / (events * kTerms);
  Row size{.work = "index per event and term", .cairn = fmt::format("{:.1f} bytes", bytes)};
  size.goal = "≤ 12 bytes";
  size.verdict = at_most(bytes, kGoalBytes);
  size.note = fmt::format("{} M events with {} terms beside category and type: index of {}, without them {}",
                          events / 1e6, kTerms, bytes_text(tagged_bytes), bytes_text(plain_bytes));

  std::vector<Contender> appends;
  appends.push_back({"Cairn, without terms", "events/s", [&] { return plain.append_turn(setting); }});
  appends.push_back({"Cairn, with three terms", "events/s", [&] { return tagged.append_turn(setting); }});
  CAIRN_CHECK(run_rounds("terms", appends, setting.scale.rounds));
  const double share = median_ratio(appends[1], appends[0]);
  Row rate{.work = "append events with 2 tags and a correlation id",
           .cairn = rate_text(median(appends[1].samples))};
  rate.ratio = fmt::format("{:.0f} %", share * 100);
  rate.goal = "≥ 85 % of that without";
  rate.verdict = setting.scale.full ? at_least(share, kGoalShare) : Verdict::kNotJudged;
  rate.note = fmt::format("{} waiting writers, in stores of {} M events; without: {}", kWriters, events / 1e6,
                          rate_text(median(appends[0].samples)));
  rate.samples = appends;

  std::vector<Contender> rebuilds;
  rebuilds.push_back({"Cairn, rebuild without terms", "events/s", [&] { return plain.rebuild_turn(); }});
  rebuilds.push_back({"Cairn, rebuild with three terms", "events/s", [&] { return tagged.rebuild_turn(); }});
  CAIRN_CHECK(run_rounds("rebuild", rebuilds, setting.scale.rounds));
  const double rebuild = median(rebuilds[0].samples);
  Row built{.work = "build a lost index from the log", .cairn = rate_text(rebuild)};
  built.goal = "≥ 1 M/s";
  built.verdict = at_least(rebuild, kGoalRebuild);
  built.note = "a start without index/, from the page cache; with three terms an event: " +
               rate_text(median(rebuilds[1].samples));
  built.samples = rebuilds;

  plain.bench().close();
  tagged.bench().close();
  std::filesystem::remove_all(setting.folder / "plain");
  std::filesystem::remove_all(setting.folder / "terms");
  return Rows{std::move(rate), std::move(size), std::move(built)};
}

}  // namespace cairn::bench

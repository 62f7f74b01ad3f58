#include <memory>
#include <optional>
#include <random>

#include "eventstore/json/json_writer.h"
#include "tools/bench/compare/append_turns.h"
#include "tools/bench/compare/http_server_process.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/http_load.h"

namespace cairn::bench {
namespace {

// Generates the appends of one load: each connection has its own streams and knows their versions.
class Appends {
 public:
  Appends(const Payloads& payloads, std::size_t streams, unsigned connections, unsigned batch)
      : payloads_(payloads), streams_(streams), connections_(connections), batch_(batch) {}

  void next(unsigned connection, std::string& to) {
    const StreamShare share(streams_, connection, connections_);
    const std::size_t stream = share.pick(random_);
    body_.clear();
    JsonWriter json(body_);
    json.begin_object();
    json.number("expectedVersion", streams_.version(stream));
    json.begin_array("events");
    for (unsigned i = 0; i < batch_; ++i, ++event_) {
      json.begin_object();
      json.text("type", payloads_.type(event_));
      json.raw("data", payloads_.data(event_));
      json.end_object();
    }
    json.end_array();
    json.end_object();
    streams_.advance(stream, batch_);
    to.append("POST /streams/")
        .append(StreamSet::name(stream))
        .append("/events HTTP/1.1\r\nHost: localhost\r\n");
    to.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body_.size()));
    to.append("\r\n\r\n").append(body_);
  }

 private:
  const Payloads& payloads_;
  StreamSet streams_;
  const unsigned connections_;
  const unsigned batch_;
  std::mt19937_64 random_{7};
  std::uint64_t event_ = 0;
  std::string body_;
};

struct HttpOutcome {
  std::uint64_t requests = 0;
  LatencyHistogram latency;
};

struct Target {
  HttpServerProcess server;
  Appends appends;
  std::optional<StalledFollowers> followers = {};
};

Result<Contender> http_appends(const std::string& label, Setting& setting, const std::string& folder,
                               unsigned connections, unsigned batch, HttpOutcome& last,
                               unsigned followers = 0) {
  CAIRN_TRY(HttpServerProcess server,
            HttpServerProcess::start(setting.program.parent_path() / "cairn", setting.folder / folder));
  auto target = std::make_shared<Target>(
      Target{std::move(server), Appends(setting.payloads, setting.scale.streams, connections, batch)});
  if (followers > 0) {
    CAIRN_TRY(auto stalled, StalledFollowers::connect(target->server.port(), followers));
    target->followers.emplace(std::move(stalled));
  }
  Contender contender{label, "events/s", {}};
  HttpLoad load{.port = target->server.port(), .connections = connections, .duration = setting.scale.turn};
  load.next = [target](unsigned connection, std::string& to) { target->appends.next(connection, to); };
  load.answered = [&last](std::chrono::nanoseconds latency) {
    ++last.requests;
    last.latency.add(latency);
  };
  contender.turn = [load, batch, &last]() -> Result<double> {
    last = {};
    CAIRN_CHECK(run_http_load(load));
    return static_cast<double>(last.requests * batch) / load.duration.count();
  };
  return contender;
}

std::string note_of(const HttpOutcome& last) {
  return "p50 " + micros_text(last.latency.quantile_us(0.5)) + ", p99 " +
         micros_text(last.latency.quantile_us(0.99)) +
         " in the last turn; client and server share the machine";
}

Row row_of(const std::string& work, const Contender& cairn, const HttpOutcome& last) {
  Row row{.work = work, .cairn = rate_text(median(cairn.samples))};
  row.note = note_of(last);
  row.samples = {cairn};
  return row;
}

// Reads the whole log of a server that has a million events.
Result<Contender> http_lines(Setting& setting) {
  const std::filesystem::path folder = setting.folder / "http-lines";
  const ReplaySet set{.events = setting.scale.replay_events, .streams = setting.scale.streams};
  {
    CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
    CAIRN_CHECK(load_replay_set(bench.store(), set, setting.payloads));
  }
  CAIRN_TRY(HttpServerProcess started,
            HttpServerProcess::start(setting.program.parent_path() / "cairn", folder));
  auto server = std::make_shared<HttpServerProcess>(std::move(started));
  Contender contender{"Cairn, NDJSON of everything", "events/s", {}};
  contender.turn = [server, events = set.events]() -> Result<double> {
    CAIRN_TRY(const LinesOutcome outcome, read_all_lines(server->port()));
    if (outcome.lines != events) {
      return make_error(Errc::kCorruption, "the server sent " + std::to_string(outcome.lines) +
                                               " events of " + std::to_string(events));
    }
    return static_cast<double>(outcome.lines) / outcome.seconds;
  };
  return contender;
}

}  // namespace

Result<Rows> measure_http(Setting& setting) {
  AppendLoad load;
  load.writers = 64;
  load.duration = setting.scale.turn;
  HttpOutcome last[4];
  std::vector<Contender> all;
  CAIRN_TRY(all.emplace_back(), peer_appends("PostgreSQL, 64 connections", setting.postgres, load,
                                             setting.scale.streams, setting.payloads));
  CAIRN_TRY(all.emplace_back(),
            http_appends("Cairn over HTTP, 64 connections", setting, "http-64", 64, 1, last[0]));
  CAIRN_TRY(all.emplace_back(),
            http_appends("Cairn over HTTP, 1,000 connections", setting, "http-1000", 1'000, 1, last[1]));
  CAIRN_TRY(all.emplace_back(), http_appends("Cairn over HTTP, 16 connections, 100 events", setting,
                                             "http-100", 16, 100, last[2]));
  CAIRN_TRY(all.emplace_back(), http_lines(setting));
  CAIRN_TRY(all.emplace_back(), http_appends("Cairn over HTTP, 64 connections, 200 stalled followers",
                                             setting, "http-followed", 64, 1, last[3], 200));
  CAIRN_CHECK(run_rounds("http", all, setting.scale.rounds));

  Rows rows;
  rows.push_back(row_of("HTTP: append 1 event, 64 connections", all[1], last[0]));
  rows[0].postgres = rate_text(median(all[0].samples));
  rows[0].ratio = ratio_text(median_ratio(all[1], all[0]));
  rows[0].goal = "≥ 3x";
  rows[0].verdict = at_least(median_ratio(all[1], all[0]), 3);
  rows[0].samples.push_back(all[0]);

  rows.push_back(row_of("HTTP: append 1 event, 1,000 connections", all[2], last[1]));
  rows[1].ratio = ratio_text(median_ratio(all[2], all[1])) + " of 64";
  rows[1].goal = "≥ 0.8x of 64 connections";
  rows[1].verdict = at_least(median_ratio(all[2], all[1]), 0.8);

  const double batched = median(all[3].samples);
  const double singles = median_ratio(all[3], all[0]);
  rows.push_back(row_of("HTTP: append 100 events, 16 connections", all[3], last[2]));
  rows[2].postgres = rate_text(median(all[0].samples));
  rows[2].ratio = ratio_text(singles);
  rows[2].goal = "≥ 150 k/s, or 20x of single appends";
  rows[2].verdict = batched >= 150e3 ? Verdict::kMet : at_least(singles, 20);

  rows.push_back(
      row_of("HTTP: append 1 event, 64 connections, 200 followers that do not read", all[5], last[3]));
  rows[3].ratio = ratio_text(median_ratio(all[5], all[1])) + " of none";
  rows[3].goal = "≥ 0.9x of none";
  rows[3].verdict = at_least(median_ratio(all[5], all[1]), 0.9);

  Row lines{.work = "HTTP: the whole log as lines", .cairn = rate_text(median(all[4].samples))};
  lines.goal = "≥ 500 k/s";
  lines.verdict = at_least(median(all[4].samples), 500e3);
  lines.samples = {all[4]};
  rows.push_back(std::move(lines));
  return rows;
}

}  // namespace cairn::bench

// How much a client that sends all it can delays another one. Both have a token, so the server tells them
// apart. The quiet client appends single events at a fixed rate, alone and beside a flood, in turns, each on a
// new store with a new server. Latency counts from the time an append was due.

#include <sched.h>
#include <sys/prctl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "api/access/new_token.h"
#include "api/access/token_file_edit.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/base/checksum.h"
#include "eventstore/json/json_writer.h"
#include "tools/bench/compare/http_server_process.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/http_flood.h"
#include "tools/bench/http_load.h"
#include "tools/bench/latency_histogram.h"

namespace cairn::bench {
namespace {

constexpr double kQuietAppendsPerSecond = 500;
constexpr unsigned kQuietConnections = 4;
constexpr std::chrono::milliseconds kWarmUp{500};
constexpr double kGoalRatio = 2;

constexpr unsigned long kTimerSlackNs = 1'000;

struct Flood {
  const char* label;
  unsigned connections;
  unsigned events;  // of each append
};

// The second is parsed by the connections' threads, the third by the workers and up to the bounds of memory.
constexpr std::array<Flood, 3> kFloods = {{
    {"64 connections, 1 event each", 64, 1},
    {"64 connections, 100 events each", 64, 100},
    {"192 connections, 5,000 events each", 192, 5'000},
}};

struct Refusals {
  std::uint64_t too_many_requests = 0;
  std::uint64_t overloaded = 0;
};

struct Turn {
  LatencyHistogram latency;
  Refusals refused;  // of the quiet client
  HttpFloodCounts flood;
  double seconds = 0;  // until the last answer to the quiet client
};

std::string body_of(const Payloads& payloads, unsigned events) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("events");
  for (unsigned i = 0; i < events; ++i) {
    json.begin_object();
    json.text("type", payloads.type(i));
    json.raw("data", payloads.data(i));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

// Adds a token that may append to a token file, and returns the header that shows it.
Result<std::string> add_client(const std::filesystem::path& tokens, const std::string& name) {
  CAIRN_TRY(const std::string token, api::new_token());
  CAIRN_CHECK(api::add_token(tokens, {.name = name,
                                      .sha256 = sha256(std::as_bytes(std::span(token))),
                                      .scopes = {api::Scope::kAppend},
                                      .categories = std::nullopt}));
  return "Authorization: Bearer " + token + "\r\n";
}

class FairnessTurns {
 public:
  explicit FairnessTurns(Setting& setting)
      : setting_(setting), tokens_(setting.folder / "fairness-tokens"), body_(body_of(setting.payloads, 1)) {}

  Status add_clients() {
    std::error_code error;
    std::filesystem::create_directories(setting_.folder, error);
    if (error) return system_error("create " + setting_.folder.string(), error.value());
    CAIRN_TRY(quiet_header_, add_client(tokens_, "quiet"));
    CAIRN_TRY(flood_header_, add_client(tokens_, "flood"));
    return {};
  }

  Result<Turn> run(const Flood* flood) {
    const std::filesystem::path folder = setting_.folder / "fairness";
    auto turn = [&]() -> Result<Turn> {
      CAIRN_TRY(const HttpServerProcess server,
                HttpServerProcess::start(setting_.program.parent_path() / "cairn", folder, tokens_));
      return measure(server.port(), flood);
    }();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return turn;
  }

 private:
  Result<Turn> measure(std::uint16_t port, const Flood* flood) {
    std::optional<HttpFlood> flooding;
    if (flood != nullptr) flooding.emplace(load_of(*flood, port));
    Turn warm_up;
    Turn turn;
    CAIRN_CHECK(append_quietly(port, kWarmUp, warm_up));
    const HttpFloodCounts before = flooding ? flooding->counts() : HttpFloodCounts{};
    const auto began = std::chrono::steady_clock::now();
    CAIRN_CHECK(append_quietly(port, setting_.scale.turn, turn));
    turn.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (flooding) {
      const HttpFloodCounts after = flooding->counts();
      turn.flood = {after.appended - before.appended, after.too_many_requests - before.too_many_requests,
                    after.overloaded - before.overloaded};
      CAIRN_CHECK(flooding->stop());
    }
    return turn;
  }

  HttpFloodLoad load_of(const Flood& flood, std::uint16_t port) const {
    HttpFloodLoad load{.port = port,
                       .connections = flood.connections,
                       .headers = flood_header_,
                       .body = body_of(setting_.payloads, flood.events),
                       .path = {}};
    load.path = [streams = setting_.scale.streams](std::uint64_t append) {
      return "/streams/flood-" + std::to_string(append % streams) + "/events";
    };
    return load;
  }

  // The clients share the processors with the server, and those of a real server do not. The quiet client
  // therefore goes before all threads of the server (SCHED_FIFO), where that is permitted, as the flood goes
  // after them: what is left is how the server treats its clients.
  Status append_quietly(std::uint16_t port, std::chrono::duration<double> duration, Turn& turn) {
    std::uint64_t appends = 0;
    HttpLoad load{.port = port, .connections = kQuietConnections, .duration = duration};
    load.requests_per_second = kQuietAppendsPerSecond;
    load.next = [&](unsigned, std::string& to) {
      to += "POST /streams/quiet-" + std::to_string(appends++ % setting_.scale.streams) +
            "/events HTTP/1.1\r\nHost: localhost\r\n" + quiet_header_ +
            "Content-Type: application/json\r\nContent-Length: " + std::to_string(body_.size()) + "\r\n\r\n" +
            body_;
    };
    load.answered = [&](std::chrono::nanoseconds latency) { turn.latency.add(latency); };
    load.refused = [&](int status) {
      ++(status == 429 ? turn.refused.too_many_requests : turn.refused.overloaded);
    };
    Status status;
    std::thread([&] {
      name_this_thread("cairn-quiet");
      const sched_param lowest{.sched_priority = 1};
      ::sched_setscheduler(0, SCHED_FIFO, &lowest);
      ::prctl(PR_SET_TIMERSLACK, kTimerSlackNs, 0, 0, 0);
      status = run_http_load(load);
    }).join();
    return status;
  }

  Setting& setting_;
  const std::filesystem::path tokens_;
  const std::string body_;
  std::string quiet_header_;
  std::string flood_header_;
};

// All turns of one kind.
struct Sum {
  LatencyHistogram latency;
  Refusals refused;
  HttpFloodCounts flood;
  double seconds = 0;

  void add(const Turn& turn) {
    latency.merge(turn.latency);
    refused.too_many_requests += turn.refused.too_many_requests;
    refused.overloaded += turn.refused.overloaded;
    flood.appended += turn.flood.appended;
    flood.too_many_requests += turn.flood.too_many_requests;
    flood.overloaded += turn.flood.overloaded;
    seconds += turn.seconds;
  }
};

std::string latency_text(const LatencyHistogram& latency) {
  return "p50 " + micros_text(latency.quantile_us(0.5)) + ", p99 " + micros_text(latency.quantile_us(0.99)) +
         ", max " + micros_text(latency.max_us());
}

Row row_of(const Flood& flood, const Contender& beside, const Sum& sum_beside, const Contender& alone,
           const Sum& sum_alone) {
  const double ratio = median_ratio(beside, alone);
  const bool quiet_refused = sum_beside.refused.too_many_requests + sum_beside.refused.overloaded > 0;
  Row row{.work = "p99 of a quiet client beside a flood: " + std::string(flood.label),
          .cairn = micros_text(median(beside.samples))};
  row.ratio = ratio_text(ratio) + " of alone";
  row.goal = "< 2x of alone, never refused";
  row.verdict = quiet_refused ? Verdict::kMissed : at_most(ratio, kGoalRatio);
  row.note = "all rounds: alone " + latency_text(sum_alone.latency) + ", beside the flood " +
             latency_text(sum_beside.latency) +
             "; answers to the quiet client beside the flood: " + std::to_string(sum_beside.latency.count()) +
             " appends, " + std::to_string(sum_beside.refused.too_many_requests) + " 429, " +
             std::to_string(sum_beside.refused.overloaded) + " 503; to the flood: " +
             rate_text(static_cast<double>(sum_beside.flood.appended * flood.events) / sum_beside.seconds) +
             " events, " + std::to_string(sum_beside.flood.too_many_requests) + " 429, " +
             std::to_string(sum_beside.flood.overloaded) + " 503";
  row.samples = {beside, alone};
  return row;
}

}  // namespace

Result<Rows> measure_fairness(Setting& setting) {
  FairnessTurns turns(setting);
  CAIRN_CHECK(turns.add_clients());
  std::array<Sum, kFloods.size() + 1> sums;  // the last one alone
  std::vector<Contender> all;
  const auto add = [&](const std::string& label, const Flood* flood, Sum& sum) {
    all.push_back({label, "µs", [&turns, flood, &sum]() -> Result<double> {
                     CAIRN_TRY(const Turn turn, turns.run(flood));
                     sum.add(turn);
                     return turn.latency.quantile_us(0.99);
                   }});
  };
  for (std::size_t i = 0; i < kFloods.size(); ++i) add(kFloods[i].label, &kFloods[i], sums[i]);
  add("alone", nullptr, sums.back());
  CAIRN_CHECK(run_rounds("fairness", all, setting.scale.rounds));

  Rows rows;
  for (std::size_t i = 0; i < kFloods.size(); ++i) {
    rows.push_back(row_of(kFloods[i], all[i], sums[i], all.back(), sums.back()));
  }
  return rows;
}

}  // namespace cairn::bench

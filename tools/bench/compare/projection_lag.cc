// The delay until an appended event is visible in a read model, under a load of other appends.

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "api/client/client.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/json/json_writer.h"
#include "tools/bench/compare/http_server_process.h"
#include "tools/bench/compare/purchases.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/http_load.h"
#include "tools/bench/latency_histogram.h"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAppendsPerSecond = 5'000;
constexpr unsigned kConnections = 16;

constexpr const char* kScript = R"(return projection {
  key = function(event) return event.data.customer end,
  on = { Purchased = function(row, event)
    row.purchases = (row.purchases or 0) + 1
    row.cents = (row.cents or 0) + event.data.cents
  end },
}
)";

std::string body_of(const std::string& customer, std::int64_t cents) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("events");
  json.begin_object();
  json.text("type", "Purchased");
  json.begin_object("data");
  json.text("order", "0191f3c2-1000000");
  json.text("customer", customer);
  json.number("quantity", 1);
  json.raw("cents", std::to_string(cents));
  json.text("channel", "web");
  json.end_object();
  json.end_object();
  json.end_array();
  json.end_object();
  return text;
}

Error unexpected(const std::string& what, const api::Answer& answer) {
  return make_error(Errc::kFailedPrecondition, what + " was answered with " + std::to_string(answer.status) +
                                                   ": " + answer.body.substr(0, 300));
}

// A client that appends an event and reads its row, repeatedly.
class Reader {
 public:
  explicit Reader(api::Client client) : client_(std::move(client)) {}

  static Result<Reader> connect(std::uint16_t port) {
    CAIRN_TRY(api::Client client, api::Client::make({.url = "http://127.0.0.1:" + std::to_string(port)}));
    CAIRN_TRY(const api::Answer deployed, client.put_text("/projections/purchases", kScript, "text/x-lua"));
    if (!deployed.ok()) return unexpected("the projection", deployed);
    return Reader(std::move(client));
  }

  // The time from the answer to an append until the row includes it.
  Result<std::chrono::nanoseconds> write_and_read() {
    CAIRN_TRY(const api::Answer appended,
              client_.post_json("/streams/reader-1/events", body_of("reader", 1)));
    const auto began = Clock::now();
    if (!appended.ok()) return unexpected("an append", appended);
    ++written_;
    const std::uint64_t position = nlohmann::json::parse(appended.body).at("lastPosition");
    CAIRN_TRY(const api::Answer read,
              client_.get("/projections/purchases/rows/reader?waitMs=1000&minPosition=" +
                          std::to_string(position)));
    const auto taken = Clock::now() - began;
    if (!read.ok()) return unexpected("a read", read);
    if (nlohmann::json::parse(read.body).at("row").at("purchases") != written_) {
      return make_error(Errc::kCorruption, "the row does not have what was written: " + read.body);
    }
    return taken;
  }

 private:
  api::Client client_;
  std::uint64_t written_ = 0;
};

struct Turn {
  LatencyHistogram lag;
  LatencyHistogram appends;
};

// Appends at a fixed rate for the duration of a turn.
Status append_continuously(std::uint16_t port, std::chrono::duration<double> duration, Turn& turn) {
  const Purchases purchases{.customers = 10'000};
  std::uint64_t event = 0;
  HttpLoad load{.port = port, .connections = kConnections, .duration = duration};
  load.requests_per_second = kAppendsPerSecond;
  load.next = [&](unsigned, std::string& to) {
    const Purchases::Purchase purchase = purchases.at(event++);
    const std::string body = body_of(Purchases::name(purchase.customer), purchase.cents);
    to += "POST /streams/account-" + std::to_string(purchase.customer) +
          "/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  load.answered = [&](std::chrono::nanoseconds latency) { turn.appends.add(latency); };
  return run_http_load(load);
}

Result<Turn> run_turn(std::uint16_t port, Reader& reader, std::chrono::duration<double> duration) {
  Turn turn;
  std::atomic<bool> over{false};
  Status appended;
  std::thread others([&] {
    name_this_thread("cairn-bench");
    appended = append_continuously(port, duration, turn);
    over = true;
  });
  std::optional<Error> failed;
  while (!over && !failed) {
    const auto taken = reader.write_and_read();
    if (taken) {
      turn.lag.add(*taken);
    } else {
      failed = taken.error();
    }
  }
  others.join();
  CAIRN_CHECK(appended);
  if (failed) return *failed;
  return turn;
}

}  // namespace

Result<Row> measure_projection_lag(Setting& setting) {
  CAIRN_TRY(const HttpServerProcess server, HttpServerProcess::start(setting.program.parent_path() / "cairn",
                                                                     setting.folder / "projection-lag"));
  CAIRN_TRY(Reader reader, Reader::connect(server.port()));
  Turn all;
  std::vector<Contender> contenders;
  contenders.push_back({"Cairn, lag of a live projection, p99", "µs", [&]() -> Result<double> {
                          CAIRN_TRY(const Turn turn, run_turn(server.port(), reader, setting.scale.turn));
                          all.lag.merge(turn.lag);
                          all.appends.merge(turn.appends);
                          return turn.lag.quantile_us(0.99);
                        }});
  CAIRN_CHECK(run_rounds("projection lag", contenders, setting.scale.rounds));

  const double p99 = median(contenders[0].samples);
  const double rate = static_cast<double>(all.appends.count()) /
                      (setting.scale.turn.count() * static_cast<double>(setting.scale.rounds));
  Row row{.work = "read your writes in a projection, 5,000 appends/s over HTTP",
          .cairn = "p50 " + micros_text(all.lag.quantile_us(0.5)) + ", p99 " + micros_text(p99)};
  row.goal = "p99 < 50 ms";
  // Without the intended load the figures are not valid.
  row.verdict = rate >= 0.95 * kAppendsPerSecond ? at_most(p99, 50e3) : Verdict::kMissed;
  row.note = "from the answer to an append until the row has it, " + std::to_string(all.lag.count()) +
             " times, beside " + rate_text(rate) + " appends of others, p99 " +
             micros_text(all.appends.quantile_us(0.99)) + "; Lua";
  row.samples = std::move(contenders);
  return row;
}

}  // namespace cairn::bench

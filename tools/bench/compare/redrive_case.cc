// The lag of a live projection while a thousand parked keys are retried beside it.

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "api/client/client.h"
#include "tools/bench/compare/http_server_process.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/figures.h"
#include "tools/bench/latency_histogram.h"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::uint64_t kKeys = 1'000;
constexpr std::uint64_t kEventsOfAKey = 15;
constexpr std::uint64_t kEventsOfAnAppend = 1'000;
constexpr std::chrono::seconds kPatience{120};

// The first one fails on the first event of each key.
std::string redrive_script(bool is_fixed) {
  return std::string(R"(return projection {
  key = function(event) return event.data.customer end,
  on = { Purchased = function(row, event)
    row.purchases = (row.purchases or 0) + 1
)") + (is_fixed ? "" : "    assert(event.data.cents >= 0)\n") +
         R"(    row.cents = (row.cents or 0) + event.data.cents
  end },
}
)";
}

// A client of a server whose projection is `purchases`.
class RedriveClient {
 public:
  static Result<RedriveClient> connect(std::uint16_t port) {
    CAIRN_TRY(api::Client client, api::Client::make({.url = "http://127.0.0.1:" + std::to_string(port)}));
    return RedriveClient(std::move(client));
  }

  Status deploy(bool is_fixed) {
    return answered("the projection", client_.put_text(is_fixed ? "/projections/purchases?keepRows=true"
                                                                : "/projections/purchases",
                                                       redrive_script(is_fixed), "text/x-lua"));
  }

  // Parks kKeys keys with kEventsOfAKey events each.
  Status park() {
    json events = json::array();
    for (std::uint64_t i = 0; i < kKeys * kEventsOfAKey; ++i) {
      const int cents = i < kKeys ? -1 : 1;
      events.push_back({{"type", "Purchased"},
                        {"data", {{"customer", "c" + std::to_string(i % kKeys)}, {"cents", cents}}}});
      if (events.size() < kEventsOfAnAppend) continue;
      CAIRN_CHECK(append("order-1", events));
      events = json::array();
    }
    CAIRN_CHECK(wait_for_rows());
    CAIRN_CHECK(resume());  // It pauses at a thousand parked keys.
    return wait_for_rows();
  }

  Status wait_for_rows() {
    const auto give_up_at = Clock::now() + kPatience;
    while (true) {
      CAIRN_TRY(const json status, get("/projections/purchases"));
      if (status.at("position") == status.at("head") || status.at("state") == "paused") return {};
      if (Clock::now() > give_up_at)
        return make_error(Errc::kFailedPrecondition, "the rows do not come: " + status.dump());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  Status resume() {
    CAIRN_TRY(const json status, get("/projections/purchases"));
    if (status.at("state") != "paused") return {};
    return answered("resume", client_.post_json("/projections/purchases/resume", ""));
  }
  Status begin() {
    return answered("the retry", client_.post_json("/projections/purchases/parked/retry", "{}"));
  }
  Result<json> redrive() {
    CAIRN_TRY(const json answer, get("/projections/purchases/redrive"));
    return answer.at("redrive");
  }

  // The time from the answer to an append until the row has it.
  Result<std::chrono::nanoseconds> write_and_read() {
    CAIRN_CHECK(append(
        "live-1", json::array({{{"type", "Purchased"}, {"data", {{"customer", "live"}, {"cents", 1}}}}})));
    const auto began = Clock::now();
    CAIRN_TRY(const json row, get("/projections/purchases/rows/live?waitMs=30000&minPosition=" +
                                  std::to_string(last_position_)));
    const auto taken = Clock::now() - began;
    if (row.at("row").at("purchases") != ++written_) {
      return make_error(Errc::kCorruption, "the row does not have what was written: " + row.dump());
    }
    return taken;
  }

  // Whether the rows are those that the log gives.
  Status check_rows() {
    for (const std::uint64_t key : {std::uint64_t{0}, kKeys / 2, kKeys - 1}) {
      CAIRN_TRY(const json row, get("/projections/purchases/rows/c" + std::to_string(key)));
      if (row.at("row").at("purchases") == kEventsOfAKey && row.at("row").at("cents") == kEventsOfAKey - 2)
        continue;
      return make_error(Errc::kCorruption, "the row is not the fold of the log: " + row.dump());
    }
    return {};
  }

 private:
  explicit RedriveClient(api::Client client) : client_(std::move(client)) {}

  static Status answered(const std::string& what, const Result<api::Answer>& answer) {
    if (!answer) return answer.error();
    if (answer->ok()) return {};
    return make_error(
        Errc::kFailedPrecondition,
        what + " was answered with " + std::to_string(answer->status) + ": " + answer->body.substr(0, 300));
  }
  Result<json> get(const std::string& path) {
    const auto answer = client_.get(path);
    CAIRN_CHECK(answered(path, answer));
    return json::parse(answer->body);
  }
  Status append(const std::string& stream, const json& events) {
    const auto answer = client_.post_json("/streams/" + stream + "/events", json{{"events", events}}.dump());
    CAIRN_CHECK(answered("an append", answer));
    last_position_ = json::parse(answer->body).at("lastPosition");
    return {};
  }

  api::Client client_;
  std::uint64_t last_position_ = 0;
  std::uint64_t written_ = 0;
};

struct RedriveTurn {
  LatencyHistogram lag;
  double max_us = 0;
  double seconds = 0;  // of the retry
};

Result<RedriveTurn> run_redrive(Setting& setting, unsigned number) {
  CAIRN_TRY(const HttpServerProcess server,
            HttpServerProcess::start(setting.program.parent_path() / "cairn",
                                     setting.folder / ("redrive-" + std::to_string(number))));
  CAIRN_TRY(RedriveClient client, RedriveClient::connect(server.port()));
  CAIRN_CHECK(client.deploy(false));
  CAIRN_CHECK(client.park());
  CAIRN_CHECK(client.deploy(true));
  CAIRN_CHECK(client.wait_for_rows());
  CAIRN_TRY(const auto warm, client.write_and_read());
  static_cast<void>(warm);
  RedriveTurn turn;
  const auto began = Clock::now();
  CAIRN_CHECK(client.begin());
  while (true) {
    CAIRN_TRY(const auto lag, client.write_and_read());
    turn.lag.add(lag);
    turn.max_us = std::max(turn.max_us, std::chrono::duration<double, std::micro>(lag).count());
    CAIRN_TRY(const json redrive, client.redrive());
    if (redrive.at("state") == "running") continue;
    turn.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    if (redrive.at("state") == "done" && redrive.at("released") == kKeys &&
        redrive.at("eventsApplied") == kKeys * kEventsOfAKey) {
      break;
    }
    return make_error(Errc::kFailedPrecondition, "the retry ended otherwise: " + redrive.dump());
  }
  CAIRN_CHECK(client.check_rows());
  return turn;
}

}  // namespace

Result<Rows> measure_redrive(Setting& setting) {
  LatencyHistogram lag;
  double max_us = 0;
  double seconds = 0;
  unsigned turns = 0;
  std::vector<Contender> contenders;
  contenders.push_back({"Cairn, longest lag beside a retry", "µs", [&]() -> Result<double> {
                          CAIRN_TRY(const RedriveTurn turn, run_redrive(setting, ++turns));
                          lag.merge(turn.lag);
                          max_us = std::max(max_us, turn.max_us);
                          seconds = std::max(seconds, turn.seconds);
                          return turn.max_us;
                        }});
  CAIRN_CHECK(run_rounds("redrive", contenders, setting.scale.rounds));
  Row row{.work = "read your writes while 15,000 parked events of 1,000 keys are retried",
          .cairn = "p99 " + micros_text(lag.quantile_us(0.99)) + ", max " + micros_text(max_us)};
  row.goal = "max < 1 s";
  row.verdict = at_most(max_us, 1e6);
  row.note = "from the answer to an append until the row has it, " + std::to_string(lag.count()) +
             " times; the retry took at most " + micros_text(seconds * 1e6) + "; Lua";
  row.samples = std::move(contenders);
  return Rows{std::move(row)};
}

}  // namespace cairn::bench

// Reading and writing Avro, without disk or network: what a schema costs an event.

#include <chrono>
#include <string>
#include <vector>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/codec/json_sink.h"
#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/parse_schema.h"
#include "tools/bench/compare/avro_cpp_peer.h"
#include "tools/bench/compare/setting.h"
#include "tools/bench/compare/value_sink.h"
#include "tools/bench/figures.h"

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The writer's and the reader's schema: a field is removed, one is wider, one is new.
constexpr std::string_view kWritten = R"({"type":"record","name":"OrderPlaced","fields":[
  {"name":"order_id","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"int"},
  {"name":"total_cents","type":"long"},{"name":"channel","type":"string"}]})";
constexpr std::string_view kRead = R"({"type":"record","name":"OrderPlaced","fields":[
  {"name":"order_id","type":"string"},{"name":"customer","type":"string"},{"name":"quantity","type":"long"},
  {"name":"total_cents","type":"long"},{"name":"currency","type":"string","default":"EUR"}]})";

constexpr std::size_t kOrders = 1'000;

std::vector<std::string> orders() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kOrders; ++i) {
    JsonWriter json(texts.emplace_back());
    json.begin_object();
    json.text("order_id", "0191f3c2-" + std::to_string(1'000'000 + i * 7919 % 900'000));
    json.text("customer", "customer-" + std::to_string(i * 31 % 5'000));
    json.number("quantity", 1 + i % 12);
    json.number("total_cents", 199 + i * 7'919 % 2'000'000);
    json.text("channel", "web");
    json.end_object();
  }
  return texts;
}

// Calls `once` for about half a second and returns the rate of the events that it reports.
template <typename Once>
std::function<Result<double>()> rate_turn(Once once) {
  return [once]() -> Result<double> {
    constexpr std::chrono::duration<double> kTurn{0.5};
    const auto began = Clock::now();
    double events = 0;
    std::chrono::duration<double> taken{0};
    do {
      CAIRN_TRY(const std::size_t handled, once());
      events += static_cast<double>(handled);
      taken = Clock::now() - began;
    } while (taken < kTurn);
    return events / taken.count();
  };
}

std::string wide_record(bool is_new) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("type", "record");
  json.text("name", "Wide");
  json.begin_array("fields");
  for (int i = 0; i < 200; ++i) {
    json.begin_object();
    json.text("name", "field_" + std::to_string(is_new ? 199 - i : i));
    json.raw("type", is_new ? R"(["null","long"])" : R"(["null","int"])");
    json.null("default");
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

}  // namespace

Result<Rows> measure_codec(Setting& setting) {
  CAIRN_TRY(const Schema written, parse_schema(kWritten));
  CAIRN_TRY(const Schema read, parse_schema(kRead));
  CAIRN_TRY(const JsonEncoder encoder, JsonEncoder::make(written));
  CAIRN_TRY(const DecodePlan plan, DecodePlan::compile(written, read));
  CAIRN_TRY(const std::unique_ptr<AvroCppPeer> avro_cpp, AvroCppPeer::make(kWritten, kRead));
  const std::vector<std::string> json = orders();
  std::vector<std::string> avro;
  for (const std::string& order : json) {
    if (!encoder.encode(order, avro.emplace_back()).empty()) return make_error(Errc::kInvalidArgument, order);
  }

  CAIRN_TRY(const std::uint64_t expected, avro_cpp->read_all(avro));
  // Both must have the same sum over every value, so that neither skips any.
  const auto read_by_plan = [&]() -> Result<std::size_t> {
    ValueSink sink;
    PlanRun run(sink);
    std::uint64_t sum = 0;
    for (const std::string& bytes : avro) {
      sink.clear();
      CAIRN_CHECK(run.run(plan.root(), bytes));
      sum += sink.sum();
    }
    if (sum != expected) return make_error(Errc::kCorruption, "the plan and Avro C++ read different values");
    return avro.size();
  };
  const auto read_as_json = [&]() -> Result<std::size_t> {
    std::string shown;
    for (const std::string& bytes : avro) {
      shown.clear();
      CAIRN_CHECK(append_avro_as_json(plan, bytes, shown));
    }
    return avro.size();
  };
  const auto read_by_avro_cpp = [&]() -> Result<std::size_t> {
    CAIRN_TRY(const std::uint64_t sum, avro_cpp->read_all(avro));
    return sum == 0 ? 0 : avro.size();
  };
  const auto write = [&]() -> Result<std::size_t> {
    std::string bytes;
    for (const std::string& order : json) {
      bytes.clear();
      if (!encoder.encode(order, bytes).empty()) return make_error(Errc::kInvalidArgument, order);
    }
    return json.size();
  };
  CAIRN_TRY(const Schema wide, parse_schema(wide_record(false)));
  CAIRN_TRY(const Schema wider, parse_schema(wide_record(true)));
  const auto compare_wide = [&]() -> Result<std::size_t> {
    if (!find_incompatibilities(wider, wide).empty())
      return make_error(Errc::kCorruption, "the records do not fit");
    return 1;
  };

  std::vector<Contender> all;
  all.push_back({"Avro C++, GenericDatum", "events/s", rate_turn(read_by_avro_cpp)});
  all.push_back({"Cairn, plan to values", "events/s", rate_turn(read_by_plan)});
  all.push_back({"Cairn, plan to JSON", "events/s", rate_turn(read_as_json)});
  all.push_back({"Cairn, JSON to Avro", "events/s", rate_turn(write)});
  all.push_back({"Cairn, compatibility", "pairs/s", rate_turn(compare_wide)});
  CAIRN_CHECK(run_rounds("codec", all, setting.scale.rounds));

  Rows rows;
  const double ratio = median_ratio(all[1], all[0]);
  rows.push_back(
      {.work = "reading 5 fields as a newer schema, to values", .cairn = rate_text(median(all[1].samples))});
  rows.back().ratio = ratio_text(ratio) + " of Avro C++ (" + rate_text(median(all[0].samples)) + ")";
  rows.back().goal = "≥ 10x";
  rows.back().verdict = at_least(ratio, 10);
  rows.back().note = "one thread; both come to the same sum over every value";
  const double json_ratio = median_ratio(all[2], all[0]);
  rows.push_back({.work = "the same, to JSON text", .cairn = rate_text(median(all[2].samples))});
  rows.back().ratio = ratio_text(json_ratio) + " of Avro C++";
  const double micros = 1e6 / median(all[3].samples);
  rows.push_back({.work = "JSON to Avro, 5 fields", .cairn = micros_text(micros)});
  rows.back().goal = "≤ 3 µs";
  rows.back().verdict = at_most(micros, 3);
  const double pair_micros = 1e6 / median(all[4].samples);
  rows.push_back({.work = "compatibility of two records of 200 fields", .cairn = micros_text(pair_micros)});
  rows.back().goal = "< 1 ms";
  rows.back().verdict = at_most(pair_micros, 1'000);
  rows.back().samples = std::move(all);
  return rows;
}

}  // namespace cairn::bench

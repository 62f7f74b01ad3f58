#include "tools/bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "eventstore/base/limits.h"
#include "tools/bench/bench_store.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/figures.h"
#include "tools/bench/interrupt.h"
#include "tools/bench/read_bench.h"
#include "tools/bench/replay_set.h"

namespace cairn::bench {
namespace {

struct CommonOptions {
  std::string data;
  std::size_t event_bytes = 200;
  bool json = false;
};

struct AppendOptions : CommonOptions {
  unsigned writers = 64;
  unsigned in_flight = 1;
  unsigned batch = 1;
  double seconds = 5;
  std::size_t streams = 100'000;
  bool client_ids = false;
};

struct ReplayOptions : CommonOptions {
  std::uint64_t events = 1'000'000;
  std::uint64_t streams = 100'000;
};

struct ReadOptions : CommonOptions {
  std::uint64_t streams = 10'000;
  std::uint64_t events_per_stream = 30;
  double seconds = 5;
};

void print_latency(std::ostream& out, const LatencyHistogram& latency) {
  out << "  latency     p50 " << micros_text(latency.quantile_us(0.5)) << "   p99 "
      << micros_text(latency.quantile_us(0.99)) << "   max " << micros_text(latency.max_us()) << '\n';
}

nlohmann::json latency_json(const LatencyHistogram& latency) {
  return {{"p50Micros", latency.quantile_us(0.5)},
          {"p99Micros", latency.quantile_us(0.99)},
          {"maxMicros", latency.max_us()}};
}

Status bench_append(const AppendOptions& options) {
  if (std::uint64_t{options.writers} * options.in_flight > options.streams) {
    return make_error(Errc::kInvalidArgument, "--streams must be at least --writers times --in-flight");
  }
  CAIRN_TRY(const BenchStore bench, BenchStore::make_new(options.data));
  const Payloads payloads(options.event_bytes);
  StreamSet streams(options.streams);
  AppendLoad load;
  load.writers = options.writers;
  load.in_flight = options.in_flight;
  load.batch_events = options.batch;
  load.duration = std::chrono::duration<double>(options.seconds);
  load.client_ids = options.client_ids ? ClientIds::kYes : ClientIds::kNo;

  const StoreStats before = bench.store().stats();
  CAIRN_TRY(const AppendOutcome outcome, run_appends(bench.store(), load, streams, payloads));
  const StoreWork work = work_between(before, bench.store().stats());
  const double commits_per_second = static_cast<double>(work.commits) / outcome.seconds;

  if (options.json) {
    std::cout << nlohmann::json{{"bench", "append"},
                                {"writers", options.writers},
                                {"inFlight", options.in_flight},
                                {"batch", options.batch},
                                {"streams", options.streams},
                                {"eventBytes", options.event_bytes},
                                {"clientIds", options.client_ids},
                                {"seconds", outcome.seconds},
                                {"events", outcome.events},
                                {"appendsPerSecond", static_cast<double>(outcome.appends) / outcome.seconds},
                                {"eventsPerSecond", outcome.events_per_second()},
                                {"commitsPerSecond", commits_per_second},
                                {"commitMicros", work.commit_us},
                                {"eventsPerCommit", work.events_per_commit()},
                                {"flushes", work.flushes},
                                {"latency", latency_json(outcome.latency)}}
                     .dump(2)
              << '\n';
    return {};
  }
  std::cout << "append: " << options.writers << " writers, " << options.in_flight << " in flight each, "
            << options.batch << " events of " << options.event_bytes << " bytes an append, "
            << options.streams << " streams, " << options.seconds << " s\n"
            << "  events      " << rate_text(outcome.events_per_second()) << "   (" << outcome.events
            << " durable)\n"
            << "  commits     " << rate_text(commits_per_second) << "   " << work.events_per_commit()
            << " events each, " << micros_text(work.commit_us) << " each\n"
            << "  flushes     " << work.flushes << '\n';
  print_latency(std::cout, outcome.latency);
  return {};
}

// The store to read: the one in --data, or a new one with the events of `set`.
Result<BenchStore> store_with(const CommonOptions& options, const ReplaySet& set) {
  if (!options.data.empty()) return BenchStore::open_existing(options.data);
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(""));
  std::cerr << "writing " << set.events << " events …\n";
  CAIRN_CHECK(load_replay_set(bench.store(), set, Payloads(options.event_bytes)));
  CAIRN_CHECK(bench.store().flush_index());
  CAIRN_CHECK(bench.reopen());
  return bench;
}

Status bench_replay(const ReplayOptions& options) {
  CAIRN_TRY(const BenchStore bench, store_with(options, {options.events, options.streams}));
  ReplayOutcome best;
  for (int pass = 0; pass < 3; ++pass) {
    CAIRN_TRY(const ReplayOutcome outcome, replay_store(bench.store()));
    if (pass == 0 || outcome.seconds < best.seconds) best = outcome;
  }
  const double bytes_per_second = static_cast<double>(best.fold.bytes()) / best.seconds;
  if (options.json) {
    std::cout << nlohmann::json{{"bench", "replay"},
                                {"events", best.fold.events()},
                                {"seconds", best.seconds},
                                {"eventsPerSecond", best.events_per_second()},
                                {"dataBytesPerSecond", bytes_per_second}}
                     .dump(2)
              << '\n';
    return {};
  }
  std::cout << "replay: " << best.fold.events() << " events from first to last, one thread, best of 3\n"
            << "  events      " << rate_text(best.events_per_second()) << '\n'
            << "  data        " << bytes_text(bytes_per_second) << "/s\n";
  return {};
}

// The streams to read at random: those of the set, or the first ones of an existing store.
Result<std::vector<std::string>> names_in(EventStore& store) {
  constexpr std::size_t kNamesMax = 100'000;
  std::vector<std::string> names;
  StreamListQuery query;
  query.limit = 1'000;
  while (names.size() < kNamesMax) {
    CAIRN_TRY(StreamList list, store.list_streams(query));
    for (StreamInfo& info : list.streams) names.push_back(std::move(info.stream));
    if (!list.next) break;
    query.after = *list.next;
  }
  if (names.empty()) return make_error(Errc::kFailedPrecondition, "the store has no streams to read");
  return names;
}

Status bench_read(const ReadOptions& options) {
  const ReplaySet set{options.streams * options.events_per_stream, options.streams, 1'000};
  CAIRN_TRY(const BenchStore bench, store_with(options, set));
  CAIRN_TRY(const std::vector<std::string> names, names_in(bench.store()));
  const auto pick = [&names](std::mt19937_64& random) { return names[random() % names.size()]; };
  CAIRN_TRY(const ReadOutcome outcome, read_streams(bench.store(), pick, limits::kPageEventsMax,
                                                    std::chrono::duration<double>(options.seconds)));
  const double reads = static_cast<double>(outcome.latency.count());
  const double events_each = static_cast<double>(outcome.fold.events()) / reads;
  if (options.json) {
    std::cout << nlohmann::json{{"bench", "read"},
                                {"streams", names.size()},
                                {"readsPerSecond", reads / outcome.seconds},
                                {"eventsPerRead", events_each},
                                {"latency", latency_json(outcome.latency)}}
                     .dump(2)
              << '\n';
    return {};
  }
  std::cout << "read: whole streams at random out of " << names.size() << ", one thread, " << options.seconds
            << " s\n"
            << "  streams     " << rate_text(reads / outcome.seconds) << "   " << events_each
            << " events each\n";
  print_latency(std::cout, outcome.latency);
  return {};
}

void add_common(CLI::App& command, CommonOptions& options, const std::string& data_help) {
  command.add_option("--data", options.data, data_help)->type_name("DIR");
  command.add_option("--event-bytes", options.event_bytes, "Bytes of data in an event")
      ->check(CLI::Range(Payloads::kEventBytesMin, std::size_t{limits::kEventBytesMax}))
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print JSON");
}

template <typename Options>
int run_bench(const Options& options, Status (*run)(const Options&)) {
  watch_interrupts();
  Status status = run(options);
  if (interrupted()) status = make_error(Errc::kFailedPrecondition, "interrupted");
  if (!status) std::cerr << "cairn: " << status.error().message << '\n';
  return status ? 0 : 1;
}

template <typename Options>
void run_after_parsing(CLI::App& command, std::shared_ptr<Options> options, Status (*run)(const Options&),
                       std::function<int()>& action) {
  command.callback([options = std::move(options), run, &action] {
    action = [options, run] { return run_bench(*options, run); };
  });
}

void add_append(CLI::App& bench, std::function<int()>& action) {
  auto options = std::make_shared<AppendOptions>();
  CLI::App& command = *bench.add_subcommand("append", "How fast events become durable");
  command.footer(
      "\nExamples:\n"
      "  cairn bench append --writers 64            64 synchronous writers, one event per append\n"
      "  cairn bench append --batch 1000            1,000 events per append\n"
      "  cairn bench append --data /mnt/disk/try    on the disk that matters");
  add_common(command, *options, "A folder without a store, kept afterwards; a temporary one when not given");
  command.add_option("--writers", options->writers, "Threads that append")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--in-flight", options->in_flight, "Appends each writer has under way at once")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--batch", options->batch, "Events in one append, all to one stream")
      ->check(CLI::Range(std::size_t{1}, limits::kRequestEventsMax))
      ->capture_default_str();
  command.add_option("--seconds", options->seconds, "How long")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  command.add_option("--streams", options->streams, "Streams to choose from")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command.add_flag("--client-ids", options->client_ids, "Give every event an id whose repetition is noticed");
  run_after_parsing(command, std::move(options), bench_append, action);
}

void add_replay(CLI::App& bench, std::function<int()>& action) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App& command = *bench.add_subcommand("replay", "How fast the whole log is read");
  command.footer(
      "\nExamples:\n"
      "  cairn bench replay --events 1000000\n"
      "  cairn bench replay --json                  print JSON");
  add_common(command, *options, "The folder of a store to read; a temporary new one when not given");
  command.add_option("--events", options->events, "Events in the new store")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  command.add_option("--streams", options->streams, "Streams in the new store")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  run_after_parsing(command, std::move(options), bench_replay, action);
}

void add_read(CLI::App& bench, std::function<int()>& action) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App& command = *bench.add_subcommand("read", "How fast one stream is read");
  command.footer(
      "\nExamples:\n"
      "  cairn bench read --events-per-stream 100\n"
      "  cairn bench read --data ./cairn-data       the streams of a store that is there");
  add_common(command, *options, "The folder of a store to read; a temporary new one when not given");
  command.add_option("--streams", options->streams, "Streams in the new store")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command
      .add_option("--events-per-stream", options->events_per_stream, "Events of each stream in the new store")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--seconds", options->seconds, "How long")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  run_after_parsing(command, std::move(options), bench_read, action);
}

}  // namespace

void add_bench_commands(CLI::App& bench, std::function<int()>& action) {
  bench.require_subcommand(1);
  add_append(bench, action);
  add_replay(bench, action);
  add_read(bench, action);
}

}  // namespace cairn::bench

#include "tools/bench/compare/memory_probe.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <thread>

#include "eventstore/base/background_thread.h"
#include "tools/bench/bench_store.h"
#include "tools/bench/cairn_append.h"

namespace cairn::bench {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr std::size_t kEventBytes = 200;

void raise(ProcessMemory& peak, const ProcessMemory& now) {
  peak.anonymous = std::max(peak.anonymous, now.anonymous);
  peak.file = std::max(peak.file, now.file);
}

Status read_all_versions(EventStore& store, StreamSet& streams) {
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    CAIRN_TRY(const std::optional<StreamInfo> info, store.stream_info(StreamSet::name(stream)));
    if (!info) return make_error(Errc::kNotFound, "no stream " + StreamSet::name(stream));
    streams.advance(stream, info->version.value);
  }
  return {};
}

}  // namespace

Result<MemoryFigures> probe_memory(const std::filesystem::path& folder, std::size_t streams,
                                   std::chrono::duration<double> duration) {
  MemoryFigures figures;
  CAIRN_TRY(const BenchStore bench, BenchStore::open_existing(folder));
  figures.opened = process_memory();
  figures.peak = figures.opened;
  {
    const std::jthread watcher([&figures](const std::stop_token& stop) {
      name_this_thread("cairn-memory");
      while (!stop.stop_requested()) {
        raise(figures.peak, process_memory());
        std::this_thread::sleep_for(kLookEvery);
      }
    });
    StreamSet versions(streams);
    CAIRN_CHECK(read_all_versions(bench.store(), versions));
    AppendLoad load;
    load.writers = 64;
    load.duration = duration;
    CAIRN_CHECK(run_appends(bench.store(), load, versions, Payloads(kEventBytes)));
    CAIRN_CHECK(bench.store().flush_index());
  }
  return figures;
}

Result<MemoryFigures> probe_memory_apart(const std::filesystem::path& program,
                                         const std::filesystem::path& folder, std::size_t streams,
                                         std::chrono::duration<double> duration) {
  const std::string command = "'" + program.string() + "' --probe-memory '" + folder.string() +
                              "' --probe-streams " + std::to_string(streams) + " --probe-seconds " +
                              std::to_string(duration.count());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  unsigned long long opened[2], peak[2];
  if (!pipe ||
      std::fscanf(pipe.get(), "%llu %llu %llu %llu", &opened[0], &opened[1], &peak[0], &peak[1]) != 4) {
    return make_error(Errc::kIo, "no answer from " + command);
  }
  return MemoryFigures{{opened[0], opened[1]}, {peak[0], peak[1]}};
}

}  // namespace cairn::bench

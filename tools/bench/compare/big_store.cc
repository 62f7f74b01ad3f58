#include "tools/bench/compare/big_store.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

constexpr std::size_t kPassEvents = 5;
constexpr std::size_t kPasses = kReadEvents / kPassEvents;
constexpr std::size_t kRequestStreams = 200;
constexpr std::size_t kFillers = 4;
constexpr unsigned kOneByOneWriters = 64;

// A prime that divides no number of streams in use: stepping by it visits all of them in a scattered order.
constexpr std::uint64_t kStride = 2'147'483'647;

std::string one_by_one_name(std::size_t stream) { return "everyday-" + std::to_string(stream); }

// How many events the stream gets in this pass over all streams.
std::size_t events_in_pass(std::size_t stream, std::uint64_t pass) {
  switch (stream % 10) {
    case 0:
      return pass == 0 ? kReadEvents : 0;
    case 1:
      return kPassEvents;
    default:
      return pass == 0 ? kPassEvents : 0;
  }
}

void add_events(StreamAppend& append, std::size_t count, std::uint64_t number, const Payloads& payloads) {
  append.events.resize(count);
  for (NewEvent& event : append.events) {
    event.type = payloads.type(number);
    event.data = payloads.data(number++);
  }
}

// Runs `work(i)` on `count` threads and returns the first error.
template <typename Work>
Status on_threads(unsigned count, Work work) {
  Mutex mutex;
  std::optional<Error> first_error;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        name_this_thread("cairn-bench");
        const Status status = work(i);
        const MutexLock lock(mutex);
        if (!status && !first_error) first_error = status.error();
      });
    }
  }
  if (first_error) return *std::move(first_error);
  return {};
}

}  // namespace

Result<std::unique_ptr<BigStore>> BigStore::fill(const std::filesystem::path& folder, std::size_t streams,
                                                 const Payloads& payloads) {
  CAIRN_TRY(BenchStore bench, BenchStore::make_new(folder));
  std::unique_ptr<BigStore> big(new BigStore(std::move(bench), streams));
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) CAIRN_CHECK(big->write_pass(pass, payloads));
  CAIRN_CHECK(big->write_one_by_one(payloads));
  CAIRN_CHECK(big->store().flush_index());
  if (interrupted()) return make_error(Errc::kFailedPrecondition, "interrupted");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::fprintf(stderr, "filled a store with %llu events in %zu streams in %.1f s\n",
               static_cast<unsigned long long>(big->store().head().value), streams, took.count());
  return big;
}

Status BigStore::write_pass(std::uint64_t pass, const Payloads& payloads) {
  return on_threads(kFillers, [&, this](unsigned filler) -> Status {
    AppendRequest request;
    for (std::size_t i = filler; i < streams_.size() && !interrupted(); i += kFillers) {
      const std::size_t stream = (i * kStride) % streams_.size();
      if (const std::size_t events = events_in_pass(stream, pass); events > 0) {
        StreamAppend& append = request.streams.emplace_back();
        append.stream = StreamSet::name(stream);
        append.expected = ExpectedVersion::exactly(streams_.version(stream));
        add_events(append, events, stream + pass, payloads);
        streams_.advance(stream, events);
      }
      const bool last = i + kFillers >= streams_.size();
      if (request.streams.size() == kRequestStreams || (last && !request.streams.empty())) {
        CAIRN_CHECK(store().append(std::exchange(request, {})));
      }
    }
    return {};
  });
}

Status BigStore::write_one_by_one(const Payloads& payloads) {
  return on_threads(kOneByOneWriters, [&, this](unsigned writer) -> Status {
    for (std::size_t version = 0; version < kReadEvents; ++version) {
      for (std::size_t stream = writer; stream < one_by_one_streams() && !interrupted();
           stream += kOneByOneWriters) {
        const std::string name = one_by_one_name(stream);
        CAIRN_CHECK(
            store().append(make_request({name, version, stream + version, 1}, payloads, ClientIds::kNo)));
      }
    }
    return {};
  });
}

std::string BigStore::pick(Written how, std::mt19937_64& random) const {
  const std::size_t tenth = streams_.size() / 10;
  switch (how) {
    case Written::kTogether:
      return StreamSet::name(random() % tenth * 10);
    case Written::kFiveAtATime:
      return StreamSet::name(random() % tenth * 10 + 1);
    case Written::kOneByOne:
      return one_by_one_name(random() % one_by_one_streams());
  }
  return "";
}

}  // namespace cairn::bench

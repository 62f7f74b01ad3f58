#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "tools/bench/bench_store.h"
#include "tools/bench/payloads.h"
#include "tools/bench/stream_set.h"

namespace cairn::bench {

// A store with ten events a stream on average: of every ten streams one has 30 events that were written
// together, one has 30 that were written 5 at a time all over the log, and eight have 5. Additional streams,
// a thousandth of the number, have 30 events each that were appended one by one by 64 writers.
class BigStore {
 public:
  // REQUIRES: `streams` is a multiple of 1,000.
  static Result<std::unique_ptr<BigStore>> fill(const std::filesystem::path& folder, std::size_t streams,
                                                const Payloads& payloads);

  // Which of the streams of 30 events.
  enum class Written { kTogether, kFiveAtATime, kOneByOne };
  std::string pick(Written how, std::mt19937_64& random) const;

  BenchStore& bench() { return bench_; }
  EventStore& store() { return bench_.store(); }

  // All streams except the additional ones, with their versions.
  StreamSet& streams() { return streams_; }

 private:
  BigStore(BenchStore bench, std::size_t streams) : bench_(std::move(bench)), streams_(streams) {}

  Status write_pass(std::uint64_t pass, const Payloads& payloads);
  Status write_one_by_one(const Payloads& payloads);
  std::size_t one_by_one_streams() const { return streams_.size() / 1'000; }

  BenchStore bench_;
  StreamSet streams_;
};

inline constexpr std::size_t kReadEvents = 30;

}  // namespace cairn::bench

#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace cairn::bench {

// A histogram of latencies in a fixed 15 KiB. Quantiles are within 2 % of the exact value; count and maximum
// are exact. Not thread-safe: each thread has its own, and merge() adds them up.
class LatencyHistogram {
 public:
  LatencyHistogram();

  void add(std::chrono::nanoseconds latency);
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }

  // The `quantile` (0 to 1) in microseconds; 0 when the histogram is empty.
  double quantile_us(double quantile) const;
  double max_us() const { return static_cast<double>(max_ns_) / 1000.0; }

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
};

}  // namespace cairn::bench

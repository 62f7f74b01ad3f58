#include "tools/bench/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cairn::bench {
namespace {

// Every power of two has 32 buckets of equal width: the leading six bits of the value select the bucket.
constexpr unsigned kLeadingBits = 6;
constexpr std::size_t kBucketsPerPower = 1u << (kLeadingBits - 1);
constexpr std::size_t kBuckets = (64 - kLeadingBits + 2) * kBucketsPerPower;

std::size_t bucket_of(std::uint64_t value) {
  const unsigned width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kLeadingBits) return value;
  const unsigned shift = width - kLeadingBits;
  return shift * kBucketsPerPower + (value >> shift);
}

double middle_of(std::size_t bucket) {
  if (bucket < 2 * kBucketsPerPower) return static_cast<double>(bucket);
  const std::size_t shift = bucket / kBucketsPerPower - 1;
  const double lowest = static_cast<double>(bucket - shift * kBucketsPerPower);
  return std::ldexp(lowest + 0.5, static_cast<int>(shift));
}

}  // namespace

LatencyHistogram::LatencyHistogram() : buckets_(kBuckets) {}

void LatencyHistogram::add(std::chrono::nanoseconds latency) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 0));
  ++buckets_[bucket_of(value)];
  ++count_;
  max_ns_ = std::max(max_ns_, value);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

double LatencyHistogram::quantile_us(double quantile) const {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= std::max<std::uint64_t>(wanted, 1)) return std::min(middle_of(i) / 1000.0, max_us());
  }
  return max_us();
}

}  // namespace cairn::bench

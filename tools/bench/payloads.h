#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::bench {

// The events for every system: event number n has the same type and the same data in each. The data is a JSON
// object of exactly `event_bytes` bytes with random, poorly compressible text. Thread-safe after
// construction.
class Payloads {
 public:
  // REQUIRES: event_bytes >= kEventBytesMin.
  explicit Payloads(std::size_t event_bytes);

  static constexpr std::size_t kEventBytesMin = 16;

  std::string_view type(std::uint64_t event) const;
  std::string_view data(std::uint64_t event) const { return data_[event % data_.size()]; }
  std::size_t event_bytes() const { return data_.front().size(); }

 private:
  std::vector<std::string> data_;
};

// A checksum over every byte of the events. Readers compute it, so that no system saves work by returning
// bytes that are not accessed, and so that two systems provably read the same events.
class EventFold {
 public:
  void add(std::string_view stream, std::uint64_t version, std::string_view type, std::string_view data);

  std::uint64_t events() const { return events_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;  // of data
  std::uint64_t sum_ = 0;
};

}  // namespace cairn::bench

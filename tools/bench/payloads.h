#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::bench {

// The events every system gets: event number n has the same type and the same data wherever it is written.
// The data is a JSON object of exactly `event_bytes` bytes whose text does not compress to nothing. Any
// thread may read.
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

// Adds every byte of an event to a sum. Readers fold what they read, so that no system gets away with handing
// out bytes nobody looks at, and so that two systems can be shown to have read the same events.
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

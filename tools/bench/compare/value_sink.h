#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schemaregistry/codec/run_plan.h"

namespace cairn::bench {

// One value as a program would take it.
struct Value {
  std::int64_t integer = 0;
  std::string_view text;
};

// Takes a value into account so cheaply that reading it is what is measured: a text by its length and its
// ends.
inline std::uint64_t add_to_sum(std::uint64_t sum, std::int64_t integer) {
  return sum * 31 + static_cast<std::uint64_t>(integer);
}
inline std::uint64_t add_to_sum(std::uint64_t sum, std::string_view text) {
  sum = sum * 31 + text.size();
  return text.empty() ? sum
                      : sum * 31 + static_cast<unsigned char>(text.front()) * 256u +
                            static_cast<unsigned char>(text.back());
}

// Keeps all values of an event, in order.
class ValueSink : public NullSink {
 public:
  void clear() { count_ = 0; }
  void integer(std::int64_t value) {
    Value& place = next();
    place.integer = value;
    place.text = {};
  }
  void text(std::string_view value) { next().text = value; }

  // Over the values, so that they are looked at.
  std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Value& value = values_[i];
      all = value.text.data() == nullptr ? add_to_sum(all, value.integer) : add_to_sum(all, value.text);
    }
    return all;
  }

 private:
  // Places are used again for the next event.
  Value& next() {
    if (count_ == values_.size()) values_.resize(2 * values_.size());
    return values_[count_++];
  }

  std::vector<Value> values_ = std::vector<Value>(16);
  std::size_t count_ = 0;
};

}  // namespace cairn::bench

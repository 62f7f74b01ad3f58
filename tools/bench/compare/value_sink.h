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

// Keeps all values of an event, in order.
class ValueSink : public NullSink {
 public:
  void clear() { values_.clear(); }
  void integer(std::int64_t value) { values_.push_back({.integer = value}); }
  void text(std::string_view value) { values_.push_back({.text = value}); }

  // Over the values, so that they are looked at.
  std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const Value& value : values_) {
      all = all * 31 + static_cast<std::uint64_t>(value.integer);
      for (const char c : value.text) all = all * 31 + static_cast<unsigned char>(c);
    }
    return all;
  }

 private:
  std::vector<Value> values_;
};

}  // namespace cairn::bench

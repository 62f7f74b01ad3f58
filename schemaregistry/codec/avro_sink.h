#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/run_plan.h"

namespace cairn {

// Writes what it is told as Avro again, as the reader's schema has it. Arrays and maps become one block.
class AvroSink {
 public:
  explicit AvroSink(std::string& to) : to_(to) {}

  void null() {}
  void boolean(bool value) { to_ += value ? '\1' : '\0'; }
  void integer(std::int64_t value) { append_avro_long(to_, value); }
  void decimal(float value) { append_avro_float(to_, value); }
  void decimal(double value) { append_avro_float(to_, value); }
  void text(std::string_view text) { append_avro_bytes(to_, text); }
  void bytes(std::string_view bytes) { append_avro_bytes(to_, bytes); }
  void fixed(std::string_view bytes) { to_ += bytes; }
  void symbol(std::string_view, std::uint32_t place) { append_avro_long(to_, place); }
  void begin_record(const PlanNode&) {}
  void field(const PlanField&) {}
  void end_record() {}
  void begin_array() { blocks_.push_back({to_.size(), 0}); }
  void item() { ++blocks_.back().items; }
  void end_array() { close_block(); }
  void begin_map() { begin_array(); }
  void key(std::string_view key) {
    item();
    append_avro_bytes(to_, key);
  }
  void end_map() { close_block(); }
  bool begin_union(const UnionForm&, std::uint32_t branch, const PlanNode&, AvroBytes) {
    append_avro_long(to_, branch);
    return false;
  }
  void end_union(bool) {}

 private:
  struct Block {
    std::size_t start = 0;
    std::int64_t items = 0;
  };

  // The count stands in front of the items and is known behind them.
  void close_block() {
    const Block block = blocks_.back();
    blocks_.pop_back();
    if (block.items > 0) {
      std::string count;
      append_avro_long(count, block.items);
      to_.insert(block.start, count);
    }
    to_ += '\0';
  }

  std::string& to_;
  std::vector<Block> blocks_;  // of the arrays and maps under way, the innermost last
};

// Appends the value in `avro` as the plan's reader has it. Fails with kCorruption when the bytes are not what
// the plan reads; `to` is then as it was.
inline Status append_avro_as_avro(const DecodePlan& plan, std::string_view avro, std::string& to) {
  const std::size_t start = to.size();
  AvroSink sink(to);
  Status status = PlanRun(sink).run(plan.root(), avro);
  if (!status) to.resize(start);
  return status;
}

}  // namespace cairn

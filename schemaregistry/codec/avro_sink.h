#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/run_plan.h"

namespace cairn {

// A sink (run_plan.h) that encodes Avro with the reader's schema. Arrays and maps become one block.
class AvroSink {
 public:
  explicit AvroSink(std::string& to) : to_(to), full_at_(to.size() + kDecodedBytesMax) {}

  bool is_full() const { return to_.size() > full_at_; }

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

  // Inserts the count in front of the items; it is known only after the last one.
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
  std::size_t full_at_;
  std::vector<Block> blocks_;  // of the open arrays and maps, the innermost last
};

// Appends the value in `avro` in the schema of the plan's reader. Fails with kCorruption when the bytes do
// not match the plan; `to` is then unchanged.
inline Status append_avro_as_avro(const DecodePlan& plan, std::string_view avro, std::string& to) {
  const std::size_t start = to.size();
  AvroSink sink(to);
  Status status = PlanRun(sink).run(plan.root(), avro);
  if (!status) to.resize(start);
  return status;
}

}  // namespace cairn

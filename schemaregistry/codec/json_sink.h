#pragma once

#include <string>
#include <string_view>

#include "schemaregistry/codec/run_plan.h"

namespace cairn {

// A sink (run_plan.h) that writes JSON on one line; JsonEncoder encodes the same Avro from it. Numbers keep
// every digit; a floating point number always has a point or an exponent.
class JsonSink {
 public:
  explicit JsonSink(std::string& to) : to_(to), full_at_(to.size() + kDecodedBytesMax) {}

  bool is_full() const { return to_.size() > full_at_; }

  void null() { to_ += "null"; }
  void boolean(bool value) { to_ += value ? "true" : "false"; }
  void integer(std::int64_t value);
  void decimal(float value);
  void decimal(double value);
  void text(std::string_view text);
  void bytes(std::string_view bytes);
  void fixed(std::string_view bytes) { this->bytes(bytes); }
  void symbol(std::string_view name, std::uint32_t place);
  void begin_record(const PlanNode&) { open('{'); }
  void field(const PlanField& field) {
    comma();
    to_ += field.json_name;
  }
  void end_record() { close('}'); }
  void begin_array() { open('['); }
  void item() { comma(); }
  void end_array() { close(']'); }
  void begin_map() { open('{'); }
  void key(std::string_view key);
  void end_map() { close('}'); }
  bool begin_union(const UnionForm& form, std::uint32_t branch, const PlanNode& node, AvroBytes bytes);
  void end_union(bool tagged) {
    if (tagged) close('}');
  }

 private:
  void open(char bracket) {
    to_ += bracket;
    is_first_ = true;
  }
  void close(char bracket) {
    to_ += bracket;
    is_first_ = false;
  }
  void comma() {
    if (!is_first_) to_ += ',';
    is_first_ = false;
  }
  template <typename Float>
  void write_decimal(Float value);

  std::string& to_;
  std::size_t full_at_;
  bool is_first_ = true;
};

// Appends the value in `avro` as JSON. Fails with kCorruption when the bytes do not match the plan; `to` is
// then unchanged.
Status append_avro_as_json(const DecodePlan& plan, std::string_view avro, std::string& to);

}  // namespace cairn

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eventstore/base/assert.h"
#include "eventstore/base/result.h"
#include "schemaregistry/codec/run_plan.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// The value of a field of an event's data.
struct FieldValue {
  enum class Kind : std::uint8_t {
    kMissing,
    kNull,
    kBoolean,
    kInteger,
    kDecimal,
    kText,   // a string, a symbol of an enum, bytes
    kOther,  // an object or an array
  };
  Kind kind = Kind::kMissing;
  std::int64_t integer = 0;  // kBoolean too
  double decimal = 0;
  std::string_view text;
};

// Collects the top-level fields with the given names and skips all others. For one event.
class FieldSink : public NullSink {
 public:
  // REQUIRES: as many values as names, all kMissing.
  FieldSink(std::span<const std::string_view> names, std::span<FieldValue> values)
      : names_(names), values_(values) {
    CAIRN_ASSERT(names.size() == values.size(), names.size(), values.size());
  }

  void null() { found(FieldValue::Kind::kNull); }
  void boolean(bool value) {
    if (FieldValue* const field = found(FieldValue::Kind::kBoolean)) field->integer = value ? 1 : 0;
  }
  void integer(std::int64_t value) {
    if (FieldValue* const field = found(FieldValue::Kind::kInteger)) field->integer = value;
  }
  void decimal(float value) { decimal(static_cast<double>(value)); }
  void decimal(double value) {
    if (FieldValue* const field = found(FieldValue::Kind::kDecimal)) field->decimal = value;
  }
  void text(std::string_view value) {
    if (FieldValue* const field = found(FieldValue::Kind::kText)) field->text = value;
  }
  void bytes(std::string_view value) { text(value); }
  void fixed(std::string_view value) { text(value); }
  void symbol(std::string_view name, std::uint32_t) { text(name); }

  void begin_record(const PlanNode&) { enter(); }
  void field(const PlanField& field) {
    if (depth_ == 1) wanted_ = find(field.name);
  }
  void end_record() { --depth_; }
  void begin_array() { enter(); }
  void end_array() { --depth_; }
  void begin_map() { enter(); }
  void end_map() { --depth_; }

 private:
  FieldValue* find(std::string_view name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return &values_[i];
    }
    return nullptr;
  }
  FieldValue* found(FieldValue::Kind kind) {
    if (depth_ != 1 || wanted_ == nullptr) return nullptr;
    wanted_->kind = kind;
    return wanted_;
  }
  void enter() {
    found(FieldValue::Kind::kOther);
    ++depth_;
  }

  const std::span<const std::string_view> names_;
  const std::span<FieldValue> values_;
  std::size_t depth_ = 0;
  FieldValue* wanted_ = nullptr;
};

// Finds fields of an event's data by name; the data has a schema or is JSON. Fails with kCorruption when the
// data does not match its schema, and with kInvalidArgument when it is not JSON. Texts live as long as the
// event and `scratch`, which holds unescaped JSON strings.
Status read_fields(const ShapedEvent& part, std::span<const std::string_view> names,
                   std::span<FieldValue> values, std::string& scratch);

// The error for a field that does not have the type that a projection needs.
Error wrong_field(std::string_view type, std::string_view name, const FieldValue& found,
                  std::string_view wanted);

// Why a text cannot be the key of a row; nullopt when it can.
std::optional<Error> check_row_key(std::string_view key);

}  // namespace cairn

#include "schemaregistry/codec/json_sink.h"

#include <charconv>
#include <cmath>

#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

template <typename Float>
bool begins_with_finite(AvroBytes bytes) {
  Float number = 0;
  return bytes.take_float(number) && std::isfinite(number);
}

// Whether a map is ambiguous with a tagged value: it has one entry, whose key is the name of a type.
bool has_one_tag_entry(const UnionForm& form, AvroBytes bytes) {
  std::int64_t count = 0;
  std::int64_t size = 0;
  std::string_view key;
  if (!bytes.take_long(count) || (count != 1 && count != -1)) return false;
  if (count < 0 && !bytes.take_long(size)) return false;
  return bytes.take_bytes(key) && form.branch_of(key) >= 0;
}

}  // namespace

void JsonSink::integer(std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  to_.append(digits, end);
}

template <typename Float>
void JsonSink::write_decimal(Float value) {
  if (!std::isfinite(value)) {
    to_ += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  to_ += written;
  if (written.find_first_of(".e") == std::string_view::npos) to_ += ".0";
}

void JsonSink::decimal(float value) { write_decimal(value); }
void JsonSink::decimal(double value) { write_decimal(value); }

void JsonSink::text(std::string_view text) { append_json_string(to_, text); }

void JsonSink::bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  append_json_string(to_, text);
}

// Symbols are names, which need no escapes.
void JsonSink::symbol(std::string_view name, std::uint32_t) {
  to_ += '"';
  to_ += name;
  to_ += '"';
}

void JsonSink::key(std::string_view key) {
  comma();
  append_json_string(to_, key);
  to_ += ':';
}

bool JsonSink::begin_union(const UnionForm& form, std::uint32_t branch, const PlanNode& node,
                           AvroBytes bytes) {
  bool tagged = false;
  switch (form.needs[branch]) {
    case TagNeed::kNever:
      break;
    case TagNeed::kAlways:
      tagged = true;
      break;
    case TagNeed::kIfNotFinite:
      tagged = (node.op == PlanOp::kDouble && !begins_with_finite<double>(bytes)) ||
               ((node.op == PlanOp::kFloat || node.op == PlanOp::kFloatToDouble) &&
                !begins_with_finite<float>(bytes));
      break;
    case TagNeed::kIfOneTagEntry:
      tagged = has_one_tag_entry(form, bytes);
      break;
  }
  if (!tagged) return false;
  open('{');
  key(form.tags[branch]);
  return true;
}

Status append_avro_as_json(const DecodePlan& plan, std::string_view avro, std::string& to) {
  const std::size_t start = to.size();
  JsonSink sink(to);
  Status status = PlanRun(sink).run(plan.root(), avro);
  if (!status) to.resize(start);
  return status;
}

}  // namespace cairn

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/names.h"
#include "eventstore/base/result.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/decode_plan.h"

namespace cairn {

// Ignores everything; used to skip values. Lists the functions of a sink, which are called in the order of
// the reader's schema. A sink may also have `bool is_full() const`: reading fails once it is true.
struct NullSink {
  void null() {}
  void boolean(bool) {}
  void integer(std::int64_t) {}  // int and long
  void decimal(float) {}
  void decimal(double) {}
  void text(std::string_view) {}  // UTF-8
  void bytes(std::string_view) {}
  void fixed(std::string_view) {}
  void symbol(std::string_view, std::uint32_t) {}  // its name, and its index among the reader's
  void begin_record(const PlanNode&) {}
  void field(const PlanField&) {}  // its value follows
  void end_record() {}
  void begin_array() {}
  void item() {}  // its value follows
  void end_array() {}
  void begin_map() {}
  void key(std::string_view) {}  // its value follows
  void end_map() {}
  // A value of a union follows, which `node` reads from `bytes`. The result is passed to end_union().
  bool begin_union(const UnionForm&, std::uint32_t, const PlanNode&, AvroBytes) { return false; }
  void end_union(bool) {}
};

// Reads values by a plan into a sink. Safe on any bytes: lengths, counts, depth and indexes are checked, and
// nothing outside the bytes is read. Not thread-safe; may be used for any number of values.
template <typename Sink>
class PlanRun {
 public:
  explicit PlanRun(Sink& sink) : sink_(sink) {}

  // Reads a value that takes up all of `bytes`. Fails with kCorruption and the offset of the fault; the sink
  // has then received a part of the value.
  Status run(const PlanNode& root, std::string_view bytes) {
    AvroBytes in(bytes);
    depth_ = 0;
    empty_left_ = kEmptyValuesMax + bytes.size();
    steps_left_ = kDecodeStepsFloor + kDecodeStepsPerByte * bytes.size();
    if (!value(root, in)) return failure(in, bytes);
    if (in.left() > 0) {
      reason_ = "bytes are left over behind the value";
      return failure(in, bytes);
    }
    return {};
  }

 private:
  template <typename>
  friend class PlanRun;

  bool fail(std::string_view reason) {
    if (reason_.empty()) reason_ = reason;
    return false;
  }

  Error failure(const AvroBytes& in, std::string_view bytes) {
    // Inside a default an offset means nothing to a user.
    const auto offset = static_cast<std::size_t>(in.at() - bytes.data());
    Error error = make_error(Errc::kCorruption, std::string(reason_) + ", at byte " + std::to_string(offset) +
                                                    " of " + std::to_string(bytes.size()));
    reason_ = {};
    return error;
  }

  bool value(const PlanNode& node, AvroBytes& in) {
    if (steps_left_-- == 0) return too_many_steps();
    if constexpr (requires { sink_.is_full(); }) {
      if (sink_.is_full()) return fail("a value that is too large when it is written out");
    }
    switch (node.op) {
      case PlanOp::kNull:
        if (!empty_value()) return false;
        sink_.null();
        return true;
      case PlanOp::kBoolean: {
        bool given = false;
        if (!in.take_boolean(given)) return fail("no boolean");
        sink_.boolean(given);
        return true;
      }
      case PlanOp::kInt: {
        std::int64_t number = 0;
        if (!in.take_int(number)) return fail("no number of 32 bits");
        sink_.integer(number);
        return true;
      }
      case PlanOp::kLong: {
        std::int64_t number = 0;
        if (!in.take_long(number)) return fail("no number of 64 bits");
        sink_.integer(number);
        return true;
      }
      case PlanOp::kFloat:
        return decimal<float, float>(in);
      case PlanOp::kDouble:
        return decimal<double, double>(in);
      case PlanOp::kFloatToDouble:
        return decimal<float, double>(in);
      case PlanOp::kLongToFloat:
        return widened<float>(in);
      case PlanOp::kLongToDouble:
        return widened<double>(in);
      case PlanOp::kBytes: {
        std::string_view bytes;
        if (!in.take_bytes(bytes)) return fail("no bytes of a length that is there");
        sink_.bytes(bytes);
        return true;
      }
      case PlanOp::kString:
      case PlanOp::kBytesToString: {
        std::string_view text;
        if (!in.take_bytes(text)) return fail("no string of a length that is there");
        if (node.op == PlanOp::kBytesToString && !is_utf8(text))
          return fail("bytes that are no text in UTF-8");
        sink_.text(text);
        return true;
      }
      case PlanOp::kFixed: {
        std::string_view bytes;
        if (!in.take_raw(node.size, bytes)) return fail("fewer bytes than a fixed has");
        if (node.size == 0 && !empty_value()) return false;
        sink_.fixed(bytes);
        return true;
      }
      case PlanOp::kEnum: {
        std::int64_t symbol = 0;
        if (!in.take_long(symbol)) return fail("no symbol");
        if (static_cast<std::uint64_t>(symbol) >= node.symbols.size())
          return fail("a symbol the enum does not have");
        const PlanSymbol& read = node.symbols[static_cast<std::size_t>(symbol)];
        if (read.name.empty()) return fail("a symbol the reader's enum does not have");
        sink_.symbol(read.name, read.place);
        return true;
      }
      case PlanOp::kArray:
        return nested([&] { return array(node, in); });
      case PlanOp::kMap:
        return nested([&] { return map(node, in); });
      case PlanOp::kRecord:
        return nested([&] { return record(node, in); });
      case PlanOp::kUnion: {
        std::int64_t branch = 0;
        if (!in.take_long(branch)) return fail("no type of a union");
        if (static_cast<std::uint64_t>(branch) >= node.branches.size())
          return fail("a type the union does not have");
        return value(*node.branches[static_cast<std::size_t>(branch)], in);
      }
      case PlanOp::kInUnion: {
        const bool state = sink_.begin_union(*node.form, node.branch, *node.element, in);
        if (!value(*node.element, in)) return false;
        sink_.end_union(state);
        return true;
      }
      case PlanOp::kFail:
        break;
    }
    return fail(node.reason);
  }

  bool empty_value() {
    if (empty_left_ == 0) return fail("too many values that take no bytes");
    --empty_left_;
    return true;
  }

  bool too_many_steps() {
    steps_left_ = 0;
    return fail("too many values");
  }

  template <typename Written, typename Read>
  bool decimal(AvroBytes& in) {
    Written number = 0;
    if (!in.take_float(number)) return fail("no floating point number");
    sink_.decimal(static_cast<Read>(number));
    return true;
  }

  template <typename Read>
  bool widened(AvroBytes& in) {
    std::int64_t number = 0;
    if (!in.take_long(number)) return fail("no number of 64 bits");
    sink_.decimal(static_cast<Read>(number));
    return true;
  }

  template <typename Inside>
  bool nested(Inside&& inside) {
    if (++depth_ > kDataDepthMax) return fail("nested too deep");
    const bool good = inside();
    --depth_;
    return good;
  }

  bool record(const PlanNode& node, AvroBytes& in) {
    if (node.fields.empty() && !empty_value()) return false;
    if (!node.places.empty()) return record_out_of_order(node, in);
    sink_.begin_record(node);
    for (const PlanField& field : node.fields) {
      switch (field.source) {
        case PlanField::Source::kSkip:
          if (!skip(*field.node, in)) return false;
          continue;
        case PlanField::Source::kDefault:
          sink_.field(field);
          if (!given_default(field)) return false;
          continue;
        default:
          sink_.field(field);
          if (!value(*field.node, in)) return false;
      }
    }
    sink_.end_record();
    return true;
  }

  // Finds the offset of each of the writer's fields, then reads them in the reader's order.
  bool record_out_of_order(const PlanNode& node, AvroBytes& in) {
    const std::size_t first = places_.size();
    for (const PlanNode* field : node.places) {
      places_.push_back(in.at());
      if (!skip(*field, in)) return false;
    }
    sink_.begin_record(node);
    for (const PlanField& field : node.fields) {
      sink_.field(field);
      if (field.source == PlanField::Source::kDefault) {
        if (!given_default(field)) return false;
        continue;
      }
      AvroBytes there = in;
      there.go_to(places_[first + field.place]);
      if (!value(*field.node, there)) {
        in = there;
        return false;
      }
    }
    places_.resize(first);
    sink_.end_record();
    return true;
  }

  bool given_default(const PlanField& field) {
    AvroBytes bytes(field.default_bytes);
    const std::size_t empty_left = std::exchange(empty_left_, std::numeric_limits<std::size_t>::max());
    const bool good = value(*field.node, bytes);
    empty_left_ = empty_left;  // those of a default were counted when it was encoded
    return good;
  }

  bool skip(const PlanNode& node, AvroBytes& in) {
    NullSink nothing;
    PlanRun<NullSink> run(nothing);
    run.depth_ = depth_;
    run.empty_left_ = empty_left_;
    run.steps_left_ = steps_left_;
    const bool good = run.value(node, in);
    empty_left_ = run.empty_left_;
    steps_left_ = run.steps_left_;
    return good || fail(run.reason_);
  }

  bool array(const PlanNode& node, AvroBytes& in) {
    sink_.begin_array();
    std::int64_t count = 0;
    while (true) {
      if (!block(in, count)) return false;
      if (count == 0) break;
      for (std::int64_t i = 0; i < count; ++i) {
        sink_.item();
        if (!value(*node.element, in)) return false;
      }
    }
    sink_.end_array();
    return true;
  }

  bool map(const PlanNode& node, AvroBytes& in) {
    sink_.begin_map();
    std::int64_t count = 0;
    while (true) {
      if (!block(in, count)) return false;
      if (count == 0) break;
      for (std::int64_t i = 0; i < count; ++i) {
        std::string_view key;
        if (!in.take_bytes(key)) return fail("no key of a length that is there");
        sink_.key(key);
        if (!value(*node.element, in)) return false;
      }
    }
    sink_.end_map();
    return true;
  }

  // The number of items that follow. A negative count is followed by the block's size in bytes, for readers
  // that skip it.
  bool block(AvroBytes& in, std::int64_t& count) {
    if (!in.take_long(count) || count == INT64_MIN) return fail("no count of items");
    if (count >= 0) return true;
    count = -count;
    std::int64_t bytes = 0;
    if (!in.take_long(bytes) || bytes < 0 || static_cast<std::uint64_t>(bytes) > in.left()) {
      return fail("a block of more bytes than there are");
    }
    return true;
  }

  Sink& sink_;
  std::size_t depth_ = 0;
  std::size_t empty_left_ = 0;  // values without bytes, and values at all, that are still allowed
  std::size_t steps_left_ = 0;
  std::vector<const char*> places_;  // of the fields of open records, the innermost last
  std::string_view reason_;
};

}  // namespace cairn

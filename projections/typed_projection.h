#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "projections/event_fields.h"
#include "projections/projection.h"

namespace cairn {

// Native (C++) projections, for programs that embed the store: rows and events are structs.
//
//   struct Placed {                                   // the fields that a projection uses of one event type
//     static constexpr std::string_view kType = "OrderPlaced";
//     std::string_view customer;
//     std::int64_t cents = 0;
//     static constexpr auto kFields = std::tuple(data_field("customer", &Placed::customer),
//                                                data_field("cents", &Placed::cents));
//   };
//
//   struct Totals {                                   // a row
//     std::int64_t orders = 0;
//     std::int64_t cents = 0;
//
//     static std::string_view key(const Placed& event) { return event.customer; }
//     void apply(const Placed& event) { ++orders; cents += event.cents; }
//     void append_json(std::string& to) const;
//   };
//
//   daemon->add(make_typed_projection<Totals, Placed>({.name = "totals", .revision = "1"}));
//
// The struct of an event has members of type std::int64_t, double, bool, std::string_view, or std::optional
// of those, for fields that may be null or missing. Texts live until the function that got the event returns.
// An event whose fields do not match the struct is refused, and its stream is parked, because its key is
// unknown.
//
// The struct of a row has
//   apply(event)           for each of the events. Returns nothing, or a Status: an Error refuses the event,
//                          which is parked with all later events of its key.
//   static key(event)      for events that do not belong to the row of their stream; "" = to no row.
//   append_json(to)        the row as JSON on one line.
//   gone()                 optional: whether this row is deleted.
//   save(to), load(saved)  the stored bytes, the same for the same row and at least one; load returns false
//                          for bytes that are not a row. A struct of integers without padding needs neither.
// apply and key may take the stored event as well: apply(const Placed&, const EventView&).
//
// The result of apply must depend on the row and the event alone, and not on the clock, for example.

struct TypedProjectionSettings {
  std::string name;
  // Change it whenever the code makes other rows of the same events; the rows are then rebuilt. Types, fields
  // and the size of the row are detected automatically.
  std::string revision;
  std::vector<std::string> categories = {};  // empty = all but those of system streams
};

// A member of an event's struct, and the name of the field in the data.
template <typename Event, typename Value>
struct DataField {
  std::string_view name;
  Value Event::*member;
};

template <typename Event, typename Value>
constexpr DataField<Event, Value> data_field(std::string_view name, Value Event::*member) {
  return {name, member};
}

namespace typed {

inline bool take(const FieldValue& from, std::int64_t& to) {
  to = from.integer;
  return from.kind == FieldValue::Kind::kInteger;
}
inline bool take(const FieldValue& from, double& to) {
  const bool whole = from.kind == FieldValue::Kind::kInteger;
  to = whole ? static_cast<double>(from.integer) : from.decimal;
  return whole || from.kind == FieldValue::Kind::kDecimal;
}
inline bool take(const FieldValue& from, bool& to) {
  to = from.integer != 0;
  return from.kind == FieldValue::Kind::kBoolean;
}
inline bool take(const FieldValue& from, std::string_view& to) {
  to = from.text;
  return from.kind == FieldValue::Kind::kText;
}
template <typename Value>
bool take(const FieldValue& from, std::optional<Value>& to) {
  to.reset();
  if (from.kind == FieldValue::Kind::kMissing || from.kind == FieldValue::Kind::kNull) return true;
  return take(from, to.emplace());
}

constexpr std::string_view wanted(const std::int64_t*) { return "an integer"; }
constexpr std::string_view wanted(const double*) { return "a number"; }
constexpr std::string_view wanted(const bool*) { return "a boolean"; }
constexpr std::string_view wanted(const std::string_view*) { return "a string"; }
template <typename Value>
constexpr std::string_view wanted(const std::optional<Value>*) {
  return wanted(static_cast<const Value*>(nullptr));
}

template <typename Event>
constexpr auto names_of() {
  return std::apply(
      [](const auto&... field) { return std::array<std::string_view, sizeof...(field)>{field.name...}; },
      Event::kFields);
}

template <typename Event, typename Value>
Status fill_member(const DataField<Event, Value>& field, const FieldValue& from, Event& to) {
  if (take(from, to.*field.member)) [[likely]]
    return {};
  return wrong_field(Event::kType, field.name, from, wanted(static_cast<const Value*>(nullptr)));
}

// Reads an event into its struct, or says why it cannot be one.
template <typename Event>
Status read_event(const ShapedEvent& part, std::string& scratch, Event& to) {
  static constexpr auto kNames = names_of<Event>();
  if constexpr (kNames.size() > 0) {
    std::array<FieldValue, kNames.size()> values;
    CAIRN_CHECK(read_fields(part, kNames, values, scratch));
    Status filled;
    std::size_t i = 0;
    const auto fill = [&](const auto& field) {
      if (Status status = fill_member(field, values[i++], to); !status) filled = std::move(status);
      return filled.ok();
    };
    std::apply([&](const auto&... field) { (... && fill(field)); }, Event::kFields);
    return filled;
  }
  return {};
}

template <typename Row>
constexpr bool kHasOwnBytes = requires(const Row& row, Row& other, std::string& to) {
  row.save(to);
  { other.load(std::string_view()) } -> std::same_as<bool>;
};

template <typename Row>
void save_row(const Row& row, std::string& to) {
  if constexpr (kHasOwnBytes<Row>) {
    row.save(to);
  } else {
    static_assert(std::is_trivially_copyable_v<Row> && std::has_unique_object_representations_v<Row>,
                  "a row that is not made of integers without gaps needs save() and load()");
    static_assert(std::endian::native == std::endian::little);
    to.append(reinterpret_cast<const char*>(&row), sizeof row);
  }
}

template <typename Row>
bool load_row(std::string_view saved, Row& row) {
  if constexpr (kHasOwnBytes<Row>) {
    return row.load(saved);
  } else {
    if (saved.size() != sizeof row) return false;
    std::memcpy(&row, saved.data(), sizeof row);
    return true;
  }
}

template <typename Row, typename... Events>
class Rows final : public ProjectionRows {
 public:
  Result<void, ApplyFault> key_of(const EventView& event, const ShapedEvent& part,
                                  std::string& key) override {
    key.clear();
    return for_type<Events...>(part.type, [&]<typename Event>(std::type_identity<Event>) {
      return key_as<Event>(event, part, key);
    });
  }

  bool load(std::uint32_t slot, std::string_view saved) override {
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    slots_[slot] = {};
    if (saved.empty()) return true;
    slots_[slot].there = true;
    return load_row(saved, slots_[slot].row);
  }

  Result<void, ApplyFault> apply(std::uint32_t slot, const EventView& event,
                                 const ShapedEvent& part) override {
    return for_type<Events...>(part.type, [&]<typename Event>(std::type_identity<Event>) {
      return apply_as<Event>(slots_[slot], event, part);
    });
  }

  Result<void, ApplyFault> save(std::uint32_t slot, std::string& to) override {
    if (slots_[slot].there) save_row(slots_[slot].row, to);
    return {};
  }

  void clear() override { slots_.clear(); }
  std::size_t memory_used() const override { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    Row row{};
    bool there = false;
  };

  // Calls `call` with the struct of an event type; an event of another type changes nothing.
  template <typename Event, typename... Others, typename Call>
  static Result<void, ApplyFault> for_type(std::string_view type, Call&& call) {
    if (type == Event::kType) return call(std::type_identity<Event>());
    if constexpr (sizeof...(Others) > 0) return for_type<Others...>(type, call);
    return {};
  }

  template <typename Event>
  Result<void, ApplyFault> key_as(const EventView& stored, const ShapedEvent& part, std::string& key) {
    constexpr bool takes_event = requires(const Event& event) { Row::key(event); };
    constexpr bool takes_both = requires(const Event& event) { Row::key(event, stored); };
    if constexpr (takes_event || takes_both) {
      Event event{};
      CAIRN_CHECK(read_event(part, scratch_, event));
      if constexpr (takes_both) {
        key = Row::key(event, stored);
      } else {
        key = Row::key(event);
      }
      if (auto wrong = check_row_key(key)) return *std::move(wrong);
    } else {
      key = stored.stream;
    }
    return {};
  }

  template <typename Event>
  Result<void, ApplyFault> apply_as(Slot& slot, const EventView& stored, const ShapedEvent& part) {
    Event event{};
    CAIRN_CHECK(read_event(part, scratch_, event));
    const auto call = [&] {
      if constexpr (requires { slot.row.apply(event, stored); }) {
        return slot.row.apply(event, stored);
      } else {
        return slot.row.apply(event);
      }
    };
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
    } else {
      CAIRN_CHECK(call());
    }
    slot.there = true;
    if constexpr (requires { slot.row.gone(); }) {
      if (slot.row.gone()) slot = {};
    }
    return {};
  }

  std::vector<Slot> slots_;
  std::string scratch_;
};

template <typename Row, typename... Events>
class TypedProjection final : public Projection {
 public:
  explicit TypedProjection(TypedProjectionSettings settings)
      : info_{settings.name, fingerprint(settings), {settings.categories, {std::string(Events::kType)...}}} {}

  const ProjectionInfo& info() const override { return info_; }

  ScriptResult<std::unique_ptr<ProjectionRows>> make_rows() const override {
    return std::unique_ptr<ProjectionRows>(std::make_unique<Rows<Row, Events...>>());
  }

  Status append_json(std::string_view saved, std::string& to) const override {
    Row row{};
    if (!load_row(saved, row)) {
      return make_error(Errc::kCorruption, "a row of " + info_.name + " is not a saved row");
    }
    row.append_json(to);
    return {};
  }

 private:
  static std::string fingerprint(const TypedProjectionSettings& settings) {
    std::string text = "c++ " + settings.revision + " " + std::to_string(sizeof(Row));
    for (const std::string& category : settings.categories) text += " " + category;
    const auto add = [&](std::string_view type, const auto& names) {
      text.append(" ").append(type).append("(");
      for (const std::string_view name : names) text.append(name).append(",");
      text += ")";
    };
    (..., add(Events::kType, names_of<Events>()));
    return text;
  }

  const ProjectionInfo info_;
};

}  // namespace typed

template <typename Row, typename... Events>
std::shared_ptr<const Projection> make_typed_projection(TypedProjectionSettings settings) {
  static_assert(sizeof...(Events) > 0);
  return std::make_shared<const typed::TypedProjection<Row, Events...>>(std::move(settings));
}

}  // namespace cairn

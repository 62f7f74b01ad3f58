#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/base/error.h"
#include "eventstore/base/uuid.h"
#include "eventstore/event_filter.h"

namespace cairn {

// An event's number in the whole log, from 1, gapless, in commit order. 0 is before the first event.
struct GlobalPosition {
  std::uint64_t value = 0;
  friend auto operator<=>(GlobalPosition, GlobalPosition) = default;
};

// An event's number in its stream, from 1. A stream's version is its event count; 0 = no such stream.
struct StreamVersion {
  std::uint64_t value = 0;
  friend auto operator<=>(StreamVersion, StreamVersion) = default;
};

// The schema that an event's data was written with. 0 = none: the data is a JSON text on one line, which the
// caller of append() has checked.
struct SchemaId {
  std::uint32_t value = 0;
  friend auto operator<=>(SchemaId, SchemaId) = default;
};

// The text before the first '-', or the whole name without one: "order-42" is of category "order".
constexpr std::string_view category_of(std::string_view stream) { return stream.substr(0, stream.find('-')); }

// System streams ("$schemas") are written by Cairn only.
constexpr bool is_system_stream(std::string_view stream) { return stream.starts_with('$'); }

// The system streams that decide how other events are checked, encoded and read: the schemas, and the
// definitions of upcasters, aggregates and projections.
inline constexpr std::string_view kSchemaStream = "$schemas";
inline constexpr std::string_view kDefinitionStream = "$definitions";

// The system stream of reserved fencing tokens.
inline constexpr std::string_view kTokenStream = "$tokens";

// The revision of schemas and upcasters: how many events kSchemaStream and kDefinitionStream have together.
// Both streams only grow, so a reader that has applied both up to an equal revision has applied all of them.
struct SchemaRevision {
  std::uint64_t value = 0;
  friend auto operator<=>(SchemaRevision, SchemaRevision) = default;
};

// The format of the blocks of a log. A log begins with blocks of format 1 if a program of version 0.1 made
// it.
enum class LogFormat : std::uint32_t { k1 = 1, k2 = 2 };
inline constexpr LogFormat kNewestLogFormat = LogFormat::k2;

enum class Direction { kForward, kBackward };

// One stored event. How long the views live is documented where it is returned.
struct EventView {
  GlobalPosition position;
  StreamVersion version;
  std::string_view stream;
  std::string_view type;
  Uuid id;
  SchemaId schema;
  Timestamp recorded_at;
  std::string_view data;
  std::string_view metadata;  // a JSON object, or empty
  std::span<const std::string_view> tags;
  std::string_view content_type = {};  // not empty: the data is opaque bytes of this type
  std::string_view command_id = {};    // of the command that the event came from, or empty
  bool sealed = false;                 // there is a second payload, which this program cannot read

  bool is_opaque() const { return !content_type.empty(); }
};

// A fact of a part of the program that is durable together with the events of its block, and that readers of
// events do not see. A block may have notes and no events.
struct Note {
  static constexpr std::uint32_t kOpening =
      1;  // an opening of the store takes the epoch of the block; no bytes

  std::uint32_t kind = 0;
  bool required = false;  // a program that does not know the kind must not read the block
  std::string bytes;
  friend bool operator==(const Note&, const Note&) = default;
};

// The version that an append expects a stream to be at (optimistic concurrency control).
class ExpectedVersion {
 public:
  static constexpr ExpectedVersion exactly(std::uint64_t version) { return {Kind::kExact, version}; }
  static constexpr ExpectedVersion no_stream() { return exactly(0); }
  static constexpr ExpectedVersion any() { return {Kind::kAny, 0}; }
  static constexpr ExpectedVersion exists() { return {Kind::kExists, 0}; }

  constexpr bool accepts(StreamVersion current) const {
    switch (kind_) {
      case Kind::kExact:
        return current.value == version_;
      case Kind::kExists:
        return current.value > 0;
      case Kind::kAny:
        return true;
    }
    return false;
  }

  // The exact version, or nullopt for any() and exists().
  constexpr std::optional<std::uint64_t> exact() const {
    return kind_ == Kind::kExact ? std::optional(version_) : std::nullopt;
  }

  std::string to_string() const;

  friend bool operator==(ExpectedVersion, ExpectedVersion) = default;

 private:
  enum class Kind : std::uint8_t { kExact, kAny, kExists };
  constexpr ExpectedVersion(Kind kind, std::uint64_t version) : kind_(kind), version_(version) {}

  Kind kind_;
  std::uint64_t version_;
};

struct NewEvent {
  std::optional<Uuid> id;  // without one the store makes a UUIDv7, and a retry is not idempotent
  std::string type;
  std::string data;
  std::string metadata;  // a JSON object, or empty
  std::vector<std::string> tags;
  SchemaId schema;
  std::string content_type = {};  // not empty: the data is opaque bytes of this type, and has no schema
  std::string command_id =
      {};  // of the command that the event came from, or empty; not in format 1 of the log
};

// The part of an append for one stream. Without events it only checks the expected version.
struct StreamAppend {
  std::string stream;
  ExpectedVersion expected = ExpectedVersion::any();
  std::vector<NewEvent> events;
};

enum class Origin { kUser, kSystem };  // only kSystem may write to streams whose name starts with '$'

// A condition on the whole log: none of `items` selects an event behind `after`, which may be beyond the head. It
// is decided in two steps. EventStore::verify() searches the log up to the head; the writer thread looks at the
// events behind that, which are in memory. When they are no longer there, the append fails with kStale, and the
// condition has to be verified again.
struct AppendCondition {
  EventQuery items;  // at least one; by stored types, and without correlations
  GlobalPosition after;
  Errc failure = Errc::kConditionFailed;  // or kStale: the caller looks at the events and comes back

  // What verify() found: that no event up to here is in the way, or one that is. Neither: append() verifies.
  std::optional<GlobalPosition> verified_through = {};
  std::optional<Error> in_the_way = {};
};

// No event of these types has come since the caller looked at the log up to `position`.
inline AppendCondition no_events_behind(std::vector<std::string> types, GlobalPosition position) {
  return {.items = {{.types = std::move(types)}},
          .after = position,
          .failure = Errc::kStale,
          .verified_through = position};
}

// What new events depend on, beside the expected versions of their streams. The writer thread compares it with the
// log as it is directly before these events, in the order of AppendCheck, and Error::check names the first that
// fails. A repeat was checked when it was first applied. Planned: fence, transitions, deliveries.
struct AppendChecks {
  // The schemas and upcasters that the events were checked against. kStale when they have changed.
  std::optional<SchemaRevision> revision = {};  // nullopt: against none

  std::optional<AppendCondition> condition = {};
};

// Appends to one or several streams, all or nothing. A stream occurs in a request once.
struct AppendRequest {
  std::vector<StreamAppend> streams;
  Origin origin = Origin::kUser;
  std::uint64_t client = 0;  // whose share of the writer's queue it takes; 0: the program's own, without one

  AppendChecks checks = {};

  // Nothing is stored: a request that is no repeat fails with kNotFound.
  bool only_if_repeated = false;

  // Durable in the block of the events, or without any. REQUIRES: kSystem, unless there are none.
  std::vector<Note> notes = {};
};

// The versions and positions of the events appended to one stream. For a check-only stream `last_version` is
// its version and the other numbers are 0.
struct StreamAppendResult {
  std::string stream;
  StreamVersion first_version;
  StreamVersion last_version;
  GlobalPosition first_position;
  GlobalPosition last_position;
};

struct AppendResult {
  std::vector<StreamAppendResult> streams;  // in the order of the request
  bool already_applied = false;             // a retry: the numbers are those of the first append
};

struct StreamInfo {
  std::string stream;
  StreamVersion version;
  GlobalPosition first_position;
  GlobalPosition last_position;
  Timestamp created_at;
  Timestamp updated_at;
};

}  // namespace cairn

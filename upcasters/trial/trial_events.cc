#include "upcasters/trial/trial_events.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "eventstore/base/base64.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/base/time_text.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

// Reads one given event. The first fault ends the reading.
class GivenEventReader {
 public:
  GivenEventReader(JsonCursor& cursor, std::size_t index) : cursor_(cursor), index_(index) {}

  Status read() {
    if (cursor_.kind() != JsonKind::kObject) {
      return wrong("", fmt::format("must be an object, not {}", to_string(cursor_.kind())));
    }
    cursor_.enter_object();
    while (const auto name = cursor_.next_name()) CAIRN_CHECK(read_member(*name));
    if (!content_type.empty()) CAIRN_CHECK(decode_opaque());
    return {};
  }

  Error wrong(std::string_view field, std::string_view what) const {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("events[{}]{}{} {}", index_, field.empty() ? "" : ".", field, what));
  }

  std::string stream, type, content_type, data = "null", metadata;
  std::vector<std::string> tags;
  std::uint64_t position = 0, version = 0, schema_version = 0;
  std::optional<Uuid> id;
  Timestamp recorded_at;

 private:
  Status read_member(const std::string& name) {
    if (name == "stream") return read_name(name, stream, limits::kStreamNameBytesMax);
    if (name == "type") return read_name(name, type, limits::kTypeNameBytesMax);
    if (name == "contentType") return read_name(name, content_type, limits::kContentTypeBytesMax);
    if (name == "position") return read_number(name, position);
    if (name == "version") return read_number(name, version);
    if (name == "schemaVersion") return read_number(name, schema_version);
    if (name == "data") {
      data.clear();
      append_compact_json(data, cursor_.take_raw());
      return {};
    }
    if (name == "metadata") return read_metadata();
    if (name == "tags") return read_tags();
    if (name == "id") return read_id();
    if (name == "recordedAt") return read_time();
    // Further members of an event that was read.
    static constexpr std::array<std::string_view, 7> kIgnored = {
        "schemaId", "storedSchemaVersion", "part", "sealed", "category", "commandId", "shape"};
    for (const std::string_view ignored : kIgnored) {
      if (name == ignored) return skip();
    }
    return wrong(name, "is not a member of an event");
  }

  Status skip() {
    (void)cursor_.take_raw();
    return {};
  }

  bool take_null() {
    if (cursor_.kind() != JsonKind::kNull) return false;
    (void)cursor_.take_raw();
    return true;
  }

  Status read_name(const std::string& field, std::string& to, std::size_t bytes_max) {
    if (cursor_.kind() != JsonKind::kString) return wrong(field, "must be a text");
    to = cursor_.take_string();
    if (to.empty() || to.size() > bytes_max || !is_printable_name(to)) {
      return wrong(field, fmt::format("must be 1 to {} printable bytes", bytes_max));
    }
    return {};
  }

  Status read_number(const std::string& field, std::uint64_t& to) {
    if (take_null()) return {};
    const auto number =
        cursor_.kind() == JsonKind::kNumber ? json_whole_number(cursor_.take_raw()) : std::nullopt;
    // Lua's integers end there.
    constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62;
    if (!number || *number == 0 || *number > kNumberMax)
      return wrong(field, "must be a whole number from 1 on");
    to = *number;
    return {};
  }

  Status read_metadata() {
    if (take_null()) return {};
    if (cursor_.kind() != JsonKind::kObject) return wrong("metadata", "must be an object");
    append_compact_json(metadata, cursor_.take_raw());
    return {};
  }

  Status read_tags() {
    if (take_null()) return {};
    if (cursor_.kind() != JsonKind::kArray) return wrong("tags", "must be a list of texts");
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (cursor_.kind() != JsonKind::kString) return wrong("tags", "must be a list of texts");
      tags.push_back(cursor_.take_string());
      if (tags.size() > limits::kTagsPerEventMax) {
        return wrong("tags", fmt::format("must be at most {} texts", limits::kTagsPerEventMax));
      }
    }
    return {};
  }

  Status read_id() {
    if (take_null()) return {};
    if (cursor_.kind() == JsonKind::kString) id = Uuid::parse(cursor_.take_string());
    if (!id) return wrong("id", "must be a UUID");
    return {};
  }

  Status read_time() {
    if (take_null()) return {};
    std::optional<Timestamp> time;
    if (cursor_.kind() == JsonKind::kString) time = parse_time(cursor_.take_string());
    if (!time) return wrong("recordedAt", "must be a time like 2026-01-31T12:00:00Z");
    recorded_at = *time;
    return {};
  }

  Status decode_opaque() {
    JsonCursor text(data);
    std::optional<std::string> bytes;
    if (text.kind() == JsonKind::kString) bytes = decode_base64(text.take_string());
    if (!bytes) return wrong("data", "must be base64, because the event has a contentType");
    data = *std::move(bytes);
    return {};
  }

  JsonCursor& cursor_;
  const std::size_t index_;
};

}  // namespace

ShapeForTrial shape_given() {
  auto part = std::make_shared<ShapedEvent>();
  return [part](const EventView& event) -> ShapeResult<std::span<const ShapedEvent>> {
    *part = ShapedEvent{.type = event.type, .data = event.data, .content_type = event.content_type};
    return std::span<const ShapedEvent>(part.get(), 1);
  };
}

Status GivenEvents::take(JsonCursor& cursor) {
  const std::size_t index = taken_.events.size();
  if (index == kTrialEventsMax) {
    Error error =
        make_error(Errc::kTooLarge, fmt::format("events has more than {} entries", kTrialEventsMax));
    error.limit = kTrialEventsMax;
    return error;
  }
  GivenEventReader given(cursor, index);
  CAIRN_CHECK(given.read());
  if (given.type.empty()) return given.wrong("type", "is missing");
  if (given.stream.empty()) given.stream = stream_;
  if (given.stream.empty()) return given.wrong("stream", "is missing");

  std::uint64_t& version = versions_[given.stream];
  version = given.version > 0 ? given.version : version + 1;
  last_position_ = given.position > 0 ? given.position : last_position_ + 1;
  const std::vector<std::string_view> tags(given.tags.begin(), given.tags.end());
  taken_.events.add({.position = {last_position_},
                     .version = {version},
                     .stream = given.stream,
                     .type = given.type,
                     .id = given.id.value_or(Uuid::from_halves(0, index + 1)),
                     .schema = {},
                     .recorded_at = given.recorded_at,
                     .data = given.data,
                     .metadata = given.metadata,
                     .tags = tags,
                     .content_type = given.content_type});
  taken_.given.push_back({given.position > 0, static_cast<std::uint32_t>(given.schema_version)});
  return {};
}

}  // namespace cairn

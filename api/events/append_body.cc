#include "api/events/append_body.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "api/events/query_items.h"
#include "eventstore/base/base64.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

// Reads one body. The first problem ends the reading.
class Parser {
 public:
  explicit Parser(std::string_view body) : body_(body) {}

  Answered<AppendBody> one_stream(std::string stream) {
    CAIRN_CHECK(check_syntax());
    StreamAppend append{.stream = std::move(stream), .events = {}};
    CAIRN_CHECK(read_append(append, "", false));
    result_.request.streams.push_back(std::move(append));
    return std::move(result_);
  }

  Answered<AppendBody> several_streams() {
    CAIRN_CHECK(check_syntax());
    CAIRN_CHECK(read_appends());
    return std::move(result_);
  }

 private:
  static Problem wrong(const std::string& field, const std::string& what) {
    return invalid_request((field.empty() ? "The body" : field) + " " + what + ".",
                           field.empty() ? "body" : field);
  }

  Problem wrong_kind(JsonKind wanted, const std::string& field) const {
    return wrong(field, fmt::format("must be {}, not {}", to_string(wanted), to_string(cursor_.kind())));
  }

  static Problem too_many(const std::string& field, std::size_t limit) {
    return Problem(413, "too-large", "Too large", fmt::format("{} has more than {} entries.", field, limit))
        .with("limit", limit);
  }

  Answered<void> check_syntax() {
    if (const auto fault = check_json(body_)) {
      return invalid_request(
          fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
    }
    cursor_ = JsonCursor(body_);
    return {};
  }

  Answered<void> expect(JsonKind kind, const std::string& field) const {
    if (cursor_.kind() != kind) return wrong_kind(kind, field);
    return {};
  }

  Answered<void> read_appends() {
    CAIRN_CHECK(expect(JsonKind::kObject, ""));
    cursor_.enter_object();
    bool given = false;
    while (const auto name = cursor_.next_name()) {
      if (*name == "causedBy") {
        CAIRN_CHECK(read_caused_by());
        continue;
      }
      if (*name == "condition") {
        CAIRN_CHECK(read_condition());
        continue;
      }
      if (*name != "appends") return wrong(*name, "is not a field of an append of several streams");
      given = true;
      CAIRN_CHECK(expect(JsonKind::kArray, "appends"));
      cursor_.enter_array();
      while (cursor_.next_element()) {
        const std::size_t index = result_.request.streams.size();
        if (index == limits::kRequestStreamsMax) return too_many("appends", limits::kRequestStreamsMax);
        StreamAppend append;
        CAIRN_CHECK(read_append(append, "appends[" + std::to_string(index) + "].", true));
        result_.request.streams.push_back(std::move(append));
      }
    }
    if (!given) return wrong("appends", "is missing");
    if (result_.request.streams.empty()) return wrong("appends", "must have at least one entry");
    return {};
  }

  // `at` is the prefix of each field's name. An append of several streams names its stream itself, and may
  // have no events.
  Answered<void> read_append(StreamAppend& append, const std::string& at, bool of_several) {
    CAIRN_CHECK(expect(JsonKind::kObject, at.substr(0, at.size() - (at.empty() ? 0 : 1))));
    cursor_.enter_object();
    bool stream_given = false;
    while (const auto name = cursor_.next_name()) {
      if (*name == "expectedVersion") {
        CAIRN_CHECK(read_expected(append.expected, at + *name));
      } else if (*name == "events") {
        CAIRN_CHECK(read_events(append.events, at + *name));
      } else if (*name == "stream" && of_several) {
        CAIRN_CHECK(expect(JsonKind::kString, at + *name));
        append.stream = cursor_.take_string();
        stream_given = true;
      } else if (*name == "causedBy" && !of_several) {
        CAIRN_CHECK(read_caused_by());
      } else if (*name == "condition" && !of_several) {
        CAIRN_CHECK(read_condition());
      } else {
        return wrong(at + *name, "is not a field of an append");
      }
    }
    if (of_several && !stream_given) {
      if (append.events.empty()) return wrong(at + "stream", "is missing");
      append.stream = kDefaultStream;
    }
    if (!of_several && append.events.empty()) return wrong("events", "must have at least one event");
    return {};
  }

  Answered<void> read_caused_by() {
    const auto position =
        cursor_.kind() == JsonKind::kNumber ? json_whole_number(cursor_.take_raw()) : std::nullopt;
    if (!position || *position == 0) return wrong("causedBy", "must be a position: a whole number from 1 on");
    result_.caused_by = GlobalPosition{*position};
    return {};
  }

  Answered<void> read_condition() {
    CAIRN_CHECK(expect(JsonKind::kObject, "condition"));
    AppendCondition& condition = result_.condition.emplace();
    cursor_.enter_object();
    while (const auto name = cursor_.next_name()) {
      if (*name == "failIfEventsMatch") {
        CAIRN_TRY(condition.items, read_query(cursor_, "condition.failIfEventsMatch"));
      } else if (*name == "after") {
        const auto position =
            cursor_.kind() == JsonKind::kNumber ? json_whole_number(cursor_.take_raw()) : std::nullopt;
        if (!position) return wrong("condition.after", "must be a position: a whole number from 0 on");
        condition.after = {*position};
      } else {
        return wrong("condition." + std::string(*name), "is not a field of a condition");
      }
    }
    if (condition.items.empty()) return wrong("condition.failIfEventsMatch", "is missing");
    return {};
  }

  Answered<void> read_expected(ExpectedVersion& expected, const std::string& field) {
    constexpr const char* kWanted = "must be a whole number from 0 on, \"any\" or \"exists\"";
    if (cursor_.kind() == JsonKind::kNumber) {
      const auto version = json_whole_number(cursor_.take_raw());
      if (!version) return wrong(field, kWanted);
      expected = ExpectedVersion::exactly(*version);
      return {};
    }
    const std::string word = cursor_.kind() == JsonKind::kString ? cursor_.take_string() : "";
    if (word == "any") {
      expected = ExpectedVersion::any();
    } else if (word == "exists") {
      expected = ExpectedVersion::exists();
    } else {
      return wrong(field, kWanted);
    }
    return {};
  }

  Answered<void> read_events(std::vector<NewEvent>& events, const std::string& field) {
    CAIRN_CHECK(expect(JsonKind::kArray, field));
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (result_.schema_versions.size() == limits::kRequestEventsMax) {
        return too_many("events", limits::kRequestEventsMax);
      }
      const std::size_t index = events.size();
      CAIRN_CHECK(read_event(events.emplace_back(), field, index));
    }
    return {};
  }

  Answered<void> read_event(NewEvent& event, const std::string& events_field, std::size_t index) {
    // The name of the field is built only for a message.
    const auto at = [&](std::string_view name) {
      return fmt::format("{}[{}]{}{}", events_field, index, name.empty() ? "" : ".", name);
    };
    if (cursor_.kind() != JsonKind::kObject) return wrong_kind(JsonKind::kObject, at(""));
    cursor_.enter_object();
    std::uint32_t schema_version = 0;
    bool has_data = false;
    bool is_opaque = false;
    while (const auto name = cursor_.next_name()) {
      if (*name == "type") {
        if (cursor_.kind() != JsonKind::kString) return wrong_kind(JsonKind::kString, at("type"));
        event.type = cursor_.take_string();
      } else if (*name == "data") {
        append_compact_json(event.data, cursor_.take_raw());
        has_data = true;
      } else if (*name == "id") {
        if (!read_id(event.id)) {
          return wrong(at("id"), "must be a UUID such as \"018f3c9e-7f4a-7c30-9a1b-3f6e5d4c2b1a\"");
        }
      } else if (*name == "metadata") {
        if (cursor_.kind() != JsonKind::kObject) return wrong_kind(JsonKind::kObject, at("metadata"));
        append_compact_json(event.metadata, cursor_.take_raw());
        if (event.metadata == "{}") event.metadata.clear();
      } else if (*name == "tags") {
        CAIRN_CHECK(read_tags(event.tags, at));
      } else if (*name == "contentType") {
        if (cursor_.kind() != JsonKind::kString) return wrong_kind(JsonKind::kString, at("contentType"));
        event.content_type = cursor_.take_string();
        if (event.content_type.empty()) return wrong(at("contentType"), "is empty");
        is_opaque = true;
      } else if (*name == "schemaVersion") {
        if (!read_schema_version(schema_version)) {
          return wrong(at("schemaVersion"), "must be a whole number from 1 on");
        }
      } else {
        return wrong(at(*name), "is not a field of an event");
      }
    }
    if (event.type.empty()) return wrong(at("type"), "is missing or empty");
    if (!has_data) return wrong(at("data"), "is missing");
    if (is_opaque) {
      if (schema_version != 0) return wrong(at("schemaVersion"), "does not go with contentType");
      if (!decode_opaque(event.data)) {
        return wrong(at("data"), "must be a string of base64, because contentType is given");
      }
    }
    result_.schema_versions.push_back(schema_version);
    return {};
  }

  // Replaces a JSON string of base64 by its bytes.
  static bool decode_opaque(std::string& data) {
    JsonCursor cursor(data);
    if (cursor.kind() != JsonKind::kString) return false;
    auto bytes = decode_base64(cursor.take_string());
    if (!bytes) return false;
    data = *std::move(bytes);
    return true;
  }

  bool read_id(std::optional<Uuid>& id) {
    if (cursor_.kind() == JsonKind::kString) id = Uuid::parse(cursor_.take_string());
    return id.has_value();
  }

  template <typename FieldName>
  Answered<void> read_tags(std::vector<std::string>& tags, const FieldName& at) {
    if (cursor_.kind() != JsonKind::kArray) return wrong_kind(JsonKind::kArray, at("tags"));
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (tags.size() == limits::kTagsPerEventMax) return too_many(at("tags"), limits::kTagsPerEventMax);
      if (cursor_.kind() != JsonKind::kString) {
        return wrong_kind(JsonKind::kString, fmt::format("{}[{}]", at("tags"), tags.size()));
      }
      tags.push_back(cursor_.take_string());
    }
    return {};
  }

  bool read_schema_version(std::uint32_t& version) {
    if (cursor_.kind() != JsonKind::kNumber) return false;
    const auto number = json_whole_number(cursor_.take_raw());
    if (!number || *number == 0 || *number > std::numeric_limits<std::int32_t>::max()) return false;
    version = static_cast<std::uint32_t>(*number);
    return true;
  }

  const std::string_view body_;
  JsonCursor cursor_{"null"};
  AppendBody result_;
};

}  // namespace

Answered<AppendBody> parse_stream_append(std::string stream, std::string_view body) {
  return Parser(body).one_stream(std::move(stream));
}

Answered<AppendBody> parse_append(std::string_view body) { return Parser(body).several_streams(); }

}  // namespace cairn::api

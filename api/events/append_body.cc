#include "api/events/append_body.h"

#include <limits>
#include <utility>

#include "eventstore/base/limits.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn::api {

namespace {

// Reads one body. Functions return false when they have found a problem, which ends the reading.
class Parser {
 public:
  explicit Parser(std::string_view body) : body_(body) {}

  std::variant<AppendBody, Problem> one_stream(std::string stream) {
    StreamAppend append{.stream = std::move(stream), .events = {}};
    if (well_formed() && read_append(append, "", false)) result_.request.streams.push_back(std::move(append));
    return outcome();
  }

  std::variant<AppendBody, Problem> several_streams() {
    if (well_formed()) read_appends();
    return outcome();
  }

 private:
  std::variant<AppendBody, Problem> outcome() {
    if (problem_) return *std::move(problem_);
    return std::move(result_);
  }

  bool fail(const std::string& field, const std::string& what) {
    problem_ = invalid_request((field.empty() ? "The body" : field) + " " + what + ".",
                               field.empty() ? "body" : field);
    return false;
  }

  bool well_formed() {
    if (const auto fault = check_json(body_)) {
      problem_ = invalid_request("The body is not the JSON it should be: " + fault->message + ", at byte " +
                                     std::to_string(fault->offset) + ".",
                                 "body");
      return false;
    }
    cursor_ = JsonCursor(body_);
    return true;
  }

  bool expect(JsonKind kind, const std::string& field) {
    if (cursor_.kind() == kind) return true;
    return fail(
        field, "must be " + std::string(to_string(kind)) + ", not " + std::string(to_string(cursor_.kind())));
  }

  bool read_appends() {
    if (!expect(JsonKind::kObject, "")) return false;
    cursor_.enter_object();
    bool given = false;
    while (const auto name = cursor_.next_name()) {
      if (*name != "appends") return fail(*name, "is not a field of an append of several streams");
      given = true;
      if (!expect(JsonKind::kArray, "appends")) return false;
      cursor_.enter_array();
      while (cursor_.next_element()) {
        const std::size_t index = result_.request.streams.size();
        if (index == limits::kRequestStreamsMax) return too_many("appends", limits::kRequestStreamsMax);
        StreamAppend append;
        if (!read_append(append, "appends[" + std::to_string(index) + "].", true)) return false;
        result_.request.streams.push_back(std::move(append));
      }
    }
    if (!given) return fail("appends", "is missing");
    return !result_.request.streams.empty() || fail("appends", "must have at least one entry");
  }

  // `at` stands before each field's name. One of several names its stream itself, and may be without events.
  bool read_append(StreamAppend& append, const std::string& at, bool of_several) {
    if (!expect(JsonKind::kObject, at.substr(0, at.size() - (at.empty() ? 0 : 1)))) return false;
    cursor_.enter_object();
    bool stream_given = false;
    while (const auto name = cursor_.next_name()) {
      if (*name == "expectedVersion") {
        if (!read_expected(append.expected, at + *name)) return false;
      } else if (*name == "events") {
        if (!read_events(append.events, at + *name)) return false;
      } else if (*name == "stream" && of_several) {
        if (!expect(JsonKind::kString, at + *name)) return false;
        append.stream = cursor_.take_string();
        stream_given = true;
      } else {
        return fail(at + *name, "is not a field of an append");
      }
    }
    if (of_several && !stream_given) return fail(at + "stream", "is missing");
    return of_several || !append.events.empty() || fail("events", "must have at least one event");
  }

  bool read_expected(ExpectedVersion& expected, const std::string& field) {
    if (cursor_.kind() == JsonKind::kNumber) {
      const auto version = json_whole_number(cursor_.take_raw());
      if (!version) return fail(field, "must be a whole number from 0 on, \"any\" or \"exists\"");
      expected = ExpectedVersion::exactly(*version);
      return true;
    }
    const std::string word = cursor_.kind() == JsonKind::kString ? cursor_.take_string() : "";
    if (word == "any") {
      expected = ExpectedVersion::any();
    } else if (word == "exists") {
      expected = ExpectedVersion::exists();
    } else {
      return fail(field, "must be a whole number from 0 on, \"any\" or \"exists\"");
    }
    return true;
  }

  bool read_events(std::vector<NewEvent>& events, const std::string& field) {
    if (!expect(JsonKind::kArray, field)) return false;
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (result_.schema_versions.size() == limits::kRequestEventsMax) {
        return too_many("events", limits::kRequestEventsMax);
      }
      const std::size_t index = events.size();
      if (!read_event(events.emplace_back(), field, index)) return false;
    }
    return true;
  }

  bool read_event(NewEvent& event, const std::string& events_field, std::size_t index) {
    // The place is spelled out only for those who need it.
    const auto at = [&](std::string_view name) {
      return events_field + "[" + std::to_string(index) + "]" + (name.empty() ? "" : ".") + std::string(name);
    };
    if (cursor_.kind() != JsonKind::kObject) return expect(JsonKind::kObject, at(""));
    cursor_.enter_object();
    std::uint32_t schema_version = 0;
    bool has_data = false;
    while (const auto name = cursor_.next_name()) {
      if (*name == "type") {
        if (cursor_.kind() != JsonKind::kString) return expect(JsonKind::kString, at("type"));
        event.type = cursor_.take_string();
      } else if (*name == "data") {
        append_compact_json(event.data, cursor_.take_raw());
        has_data = true;
      } else if (*name == "id") {
        if (!read_id(event.id))
          return fail(at("id"), "must be a UUID such as \"018f3c9e-7f4a-7c30-9a1b-3f6e5d4c2b1a\"");
      } else if (*name == "metadata") {
        if (cursor_.kind() != JsonKind::kObject) return expect(JsonKind::kObject, at("metadata"));
        append_compact_json(event.metadata, cursor_.take_raw());
        if (event.metadata == "{}") event.metadata.clear();
      } else if (*name == "tags") {
        if (!read_tags(event.tags, at("tags"))) return false;
      } else if (*name == "schemaVersion") {
        if (!read_schema_version(schema_version))
          return fail(at("schemaVersion"), "must be a whole number from 1 on");
      } else {
        return fail(at(*name), "is not a field of an event");
      }
    }
    if (event.type.empty()) return fail(at("type"), "is missing or empty");
    if (!has_data) return fail(at("data"), "is missing");
    result_.schema_versions.push_back(schema_version);
    return true;
  }

  bool read_id(std::optional<Uuid>& id) {
    if (cursor_.kind() == JsonKind::kString) id = Uuid::parse(cursor_.take_string());
    return id.has_value();
  }

  bool read_tags(std::vector<std::string>& tags, const std::string& field) {
    if (!expect(JsonKind::kArray, field)) return false;
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (tags.size() == limits::kTagsPerEventMax) return too_many(field, limits::kTagsPerEventMax);
      if (cursor_.kind() != JsonKind::kString) {
        return expect(JsonKind::kString, field + "[" + std::to_string(tags.size()) + "]");
      }
      tags.push_back(cursor_.take_string());
    }
    return true;
  }

  bool read_schema_version(std::uint32_t& version) {
    if (cursor_.kind() != JsonKind::kNumber) return false;
    const auto number = json_whole_number(cursor_.take_raw());
    if (!number || *number == 0 || *number > std::numeric_limits<std::int32_t>::max()) return false;
    version = static_cast<std::uint32_t>(*number);
    return true;
  }

  bool too_many(const std::string& field, std::size_t limit) {
    problem_ = Problem(413, "too-large", "Too large",
                       field + " has more than " + std::to_string(limit) + " entries.")
                   .with("limit", limit);
    return false;
  }

  const std::string_view body_;
  JsonCursor cursor_{"null"};
  AppendBody result_;
  std::optional<Problem> problem_;
};

}  // namespace

std::variant<AppendBody, Problem> parse_stream_append(std::string stream, std::string_view body) {
  return Parser(body).one_stream(std::move(stream));
}

std::variant<AppendBody, Problem> parse_append(std::string_view body) {
  return Parser(body).several_streams();
}

}  // namespace cairn::api

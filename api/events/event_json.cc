#include "api/events/event_json.h"

#include <array>
#include <charconv>

#include "api/events/time_text.h"
#include "eventstore/json/json_text.h"
#include "schemaregistry/codec/json_sink.h"

namespace cairn::api {

namespace {

void append_number_or_null(std::string& to, std::uint64_t number) {
  if (number == 0) {
    to += "null";
  } else {
    append_number(to, number);
  }
}

void append_time_string(std::string& to, Timestamp time) {
  to += '"';
  append_time(to, time);
  to += '"';
}

void append_tags(std::string& to, std::span<const std::string_view> tags) {
  to += '[';
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (i > 0) to += ',';
    append_json_string(to, tags[i]);
  }
  to += ']';
}

Status append_data(std::string& to, const ShapedEvent& part) {
  if (part.plan != nullptr) return append_avro_as_json(*part.plan, part.data, to);
  to += part.data.empty() ? std::string_view("null") : part.data;
  return {};
}

}  // namespace

void append_number(std::string& to, std::uint64_t number) {
  std::array<char, 20> digits{};
  to.append(digits.begin(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

Status append_event_json(std::string& to, const EventView& stored, const ShapedEvent& part) {
  to += R"({"position":)";
  append_number(to, stored.position.value);
  to += R"(,"stream":)";
  append_json_string(to, stored.stream);
  to += R"(,"version":)";
  append_number(to, stored.version.value);
  to += R"(,"id":")";
  to += stored.id.to_string();
  to += R"(","type":)";
  append_json_string(to, part.type);
  to += R"(,"schemaId":)";
  append_number_or_null(to, part.schema == nullptr ? 0 : part.schema->id.value);
  to += R"(,"schemaVersion":)";
  append_number_or_null(to, part.schema_version);
  to += R"(,"storedSchemaVersion":)";
  append_number_or_null(to, part.stored_schema_version);
  to += R"(,"part":)";
  append_number_or_null(to, part.part);
  to += R"(,"data":)";
  CAIRN_CHECK(append_data(to, part));
  to += R"(,"metadata":)";
  to += stored.metadata.empty() ? std::string_view("{}") : stored.metadata;
  to += R"(,"tags":)";
  append_tags(to, stored.tags);
  to += R"(,"recordedAt":)";
  append_time_string(to, stored.recorded_at);
  to += '}';
  return {};
}

void append_stream_json(std::string& to, const StreamInfo& stream) {
  to += R"({"stream":)";
  append_json_string(to, stream.stream);
  to += R"(,"category":)";
  append_json_string(to, category_of(stream.stream));
  to += R"(,"version":)";
  append_number(to, stream.version.value);
  to += R"(,"firstPosition":)";
  append_number(to, stream.first_position.value);
  to += R"(,"lastPosition":)";
  append_number(to, stream.last_position.value);
  to += R"(,"createdAt":)";
  append_time_string(to, stream.created_at);
  to += R"(,"updatedAt":)";
  append_time_string(to, stream.updated_at);
  to += '}';
}

void append_result_json(std::string& to, const StreamAppendResult& result, bool already_applied) {
  to += R"({"stream":)";
  append_json_string(to, result.stream);
  to += R"(,"firstVersion":)";
  append_number_or_null(to, result.first_version.value);
  to += R"(,"lastVersion":)";
  append_number(to, result.last_version.value);
  to += R"(,"firstPosition":)";
  append_number_or_null(to, result.first_position.value);
  to += R"(,"lastPosition":)";
  append_number_or_null(to, result.last_position.value);
  to += already_applied ? R"(,"alreadyApplied":true})" : R"(,"alreadyApplied":false})";
}

}  // namespace cairn::api

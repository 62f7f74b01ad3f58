#include "api/events/event_schemas.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/codec/check_sink.h"
#include "schemaregistry/codec/wanted_value.h"

namespace cairn::api {

namespace {

// A request may have thousands of events. The answer lists this many of their errors.
constexpr std::size_t kErrorsShown = 100;

// The places of a request that are wrong. Keeps the first kErrorsShown of them and counts all.
class ErrorList {
 public:
  void add(std::size_t event, std::string path, std::string expected, std::string found) {
    if (count_++ >= kErrorsShown) return;
    shown_.push_back({event, std::move(path), std::move(expected), std::move(found)});
  }

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }

  // [{"event","path","expected","found"}]
  std::string json() const {
    std::string text;
    JsonWriter json(text);
    json.begin_array();
    for (const Place& place : shown_) {
      json.begin_object();
      json.number("event", place.event);
      json.text("path", place.path);
      json.text("expected", place.expected);
      json.text("found", place.found);
      json.end_object();
    }
    json.end_array();
    return text;
  }

 private:
  struct Place {
    std::size_t event;  // its index in the request
    std::string path;   // in the event's data
    std::string expected;
    std::string found;
  };

  std::vector<Place> shown_;
  std::size_t count_ = 0;
};

Problem unknown_types(const ErrorList& errors, const std::string& first) {
  std::string detail = "No schema is registered for the type '" + first + "'";
  if (errors.count() > 1) detail += fmt::format(", and {} events have no schema", errors.count());
  detail += ". Register one, or start the server with --schemas optional.";
  return Problem(422, "unknown-type", "The event type is not known", std::move(detail))
      .with_json("errors", errors.json());
}

Problem invalid_data(const ErrorList& errors, const std::string& first) {
  std::string detail = "The data does not fit its schema: " + first;
  if (errors.count() > 1) detail += fmt::format(", and {} more", errors.count() - 1);
  return Problem(422, "invalid-data", "The data does not fit the schema", detail + ".")
      .with_json("errors", errors.json());
}

// Checks and encodes the events of one request.
class Checker {
 public:
  Checker(EventCodecs& codecs, SchemaPolicy policy, const SchemaPins& pins)
      : codecs_(codecs), policy_(policy), pins_(pins) {}

  Answered<void> check(AppendBody& body) {
    std::size_t index = 0;
    for (StreamAppend& append : body.request.streams) {
      for (NewEvent& event : append.events) {
        const std::uint32_t version = body.schema_versions[index];
        if (event.schema.value == 0) CAIRN_CHECK(check_event(event, index, version));
        ++index;
      }
    }
    if (!unknown_.empty()) return unknown_types(unknown_, first_unknown_);
    if (!faults_.empty()) return invalid_data(faults_, first_fault_);
    return {};
  }

 private:
  // Encodes the event or notes what is wrong with it. Fails when the registry cannot be read.
  Answered<void> check_event(NewEvent& event, std::size_t index, std::uint32_t version) {
    if (!codec_ || type_ != event.type || version_ != version) {
      auto found = find(event.type, version);
      if (!found) return store_problem(found.error());
      codec_ = *std::move(found);
      type_ = event.type;
      version_ = version;
    }
    if (!event.content_type.empty()) {
      if (codec_) refuse_opaque(event, index);
    } else if (codec_) {
      encode(event, index);
    } else if ((policy_ == SchemaPolicy::kRequired && !pins_.contains(event.type)) || version != 0) {
      if (unknown_.empty()) first_unknown_ = event.type;
      unknown_.add(
          index, "",
          version == 0 ? "a registered schema" : fmt::format("version {} of a registered schema", version),
          event.type);
    }
    return {};
  }

  EventCodecs::Found find(const std::string& type, std::uint32_t version) {
    const auto pin = version == 0 ? pins_.find(type) : pins_.end();
    if (pin == pins_.end()) return codecs_.for_type(type, version);
    if (pin->second.value == 0) return std::shared_ptr<const EventCodec>();
    return codecs_.by_id(pin->second);
  }

  void refuse_opaque(const NewEvent& event, std::size_t index) {
    const std::string expected = "data that fits the type's schema";
    const std::string found = "opaque bytes (" + event.content_type + ")";
    if (faults_.empty()) {
      first_fault_ = fmt::format("event {} ({}) wants {} and has {}", index, event.type, expected, found);
    }
    faults_.add(index, "", expected, found);
  }

  void encode(NewEvent& event, std::size_t index) {
    std::string avro;
    avro.reserve(event.data.size());
    const auto faults = codec_->encoder().encode(event.data, avro);
    for (const DataFault& fault : faults) {
      if (faults_.empty()) {
        first_fault_ = fmt::format("event {} ({}){}{} wants {} and has {}", index, event.type,
                                   fault.path.empty() ? "" : " at ", fault.path, fault.expected, fault.found);
      }
      faults_.add(index, fault.path, fault.expected, fault.found);
    }
    event.data = std::move(avro);
    event.schema = codec_->schema().id;
  }

  EventCodecs& codecs_;
  const SchemaPolicy policy_;
  const SchemaPins& pins_;

  // The codec of the last event is kept, because the events of most requests have one type.
  std::shared_ptr<const EventCodec> codec_;
  std::string type_;
  std::uint32_t version_ = 0;

  ErrorList unknown_;
  std::string first_unknown_;
  ErrorList faults_;
  std::string first_fault_;
};

constexpr std::size_t kFrameBytes = 5;

std::uint32_t framed_id(std::string_view bytes) {
  std::uint32_t id = 0;
  for (std::size_t i = 1; i < kFrameBytes; ++i) id = (id << 8) | static_cast<unsigned char>(bytes[i]);
  return id;
}

}  // namespace

Answered<void> apply_schemas(AppendBody& body, EventCodecs& codecs, SchemaPolicy policy,
                             const SchemaPins& pins) {
  return Checker(codecs, policy, pins).check(body);
}

Answered<AppendBody> read_framed_event(std::string stream, std::string type, std::string_view bytes,
                                       EventCodecs& codecs) {
  if (bytes.size() < kFrameBytes || bytes[0] != 0) {
    return invalid_request("The body must be a byte 0, the schema's id in four bytes and the Avro value.",
                           "body");
  }
  const SchemaId id{framed_id(bytes)};
  ErrorList errors;
  const std::uint32_t version = codecs.version_of(type, id);
  if (version == 0) {
    errors.add(0, "", "the id of a schema of " + type, std::to_string(id.value));
    return Problem(422, "unknown-type", "The event type is not known",
                   fmt::format("The schema {} is not registered for the type {}.", id.value, type))
        .with_json("errors", errors.json());
  }
  const auto codec = codecs.by_id(id);
  if (!codec) return store_problem(codec.error());
  const std::string_view avro = bytes.substr(kFrameBytes);
  if (const Status status = check_avro((*codec)->plan(), avro); !status) {
    const std::string expected = wanted_value((*codec)->schema().schema.root());
    errors.add(0, "", expected, status.error().message);
    return invalid_data(
        errors, fmt::format("event 0 ({}) wants {} and has {}", type, expected, status.error().message));
  }
  AppendBody body;
  NewEvent event{.type = std::move(type), .data = std::string(avro), .schema = id};
  body.request.streams.push_back({.stream = std::move(stream), .events = {std::move(event)}});
  body.schema_versions.push_back(version);
  return body;
}

}  // namespace cairn::api

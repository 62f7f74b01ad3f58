#include "api/events/event_schemas.h"

#include <utility>

#include "api/serving/store_problem.h"
#include "eventstore/json/json_text.h"
#include "schemaregistry/codec/check_sink.h"
#include "schemaregistry/codec/wanted_value.h"

namespace cairn::api {

namespace {

// A request may have thousands of events; nobody reads more than this.
constexpr std::size_t kErrorsShown = 100;

// The places of a request that are wrong, as JSON.
class ErrorList {
 public:
  void add(std::size_t event, std::string_view path, std::string_view expected, std::string_view found) {
    if (count_++ >= kErrorsShown) return;
    json_ += json_.empty() ? "" : ",";
    json_ += R"({"event":)" + std::to_string(event) + R"(,"path":)";
    append_json_string(json_, path);
    json_ += R"(,"expected":)";
    append_json_string(json_, expected);
    json_ += R"(,"found":)";
    append_json_string(json_, found);
    json_ += '}';
  }

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  std::string json() const { return "[" + json_ + "]"; }

 private:
  std::string json_;
  std::size_t count_ = 0;
};

Problem unknown_types(const ErrorList& errors, const std::string& first) {
  std::string detail = "No schema is registered for the type '" + first + "'";
  if (errors.count() > 1) detail += " and others, in " + std::to_string(errors.count()) + " events";
  detail += ". Register one, or start the server with --schemas optional.";
  return Problem(422, "unknown-type", "The event type is not known", std::move(detail))
      .with_json("errors", errors.json());
}

Problem invalid_data(const ErrorList& errors, const std::string& first) {
  std::string detail = "The data does not fit its schema: " + first;
  if (errors.count() > 1) detail += ", and " + std::to_string(errors.count() - 1) + " more";
  return Problem(422, "invalid-data", "The data does not fit the schema", detail + ".")
      .with_json("errors", errors.json());
}

// Goes through the events of one request.
class Checker {
 public:
  Checker(EventCodecs& codecs, SchemaPolicy policy, const SchemaPins& pins)
      : codecs_(codecs), policy_(policy), pins_(pins) {}

  std::optional<Problem> check(AppendBody& body) {
    std::size_t index = 0;
    for (StreamAppend& append : body.request.streams) {
      for (NewEvent& event : append.events) {
        const std::uint32_t version = body.schema_versions[index];
        if (event.schema.value == 0 && !check_event(event, index, version)) return std::move(failure_);
        ++index;
      }
    }
    if (!unknown_.empty()) return unknown_types(unknown_, first_unknown_);
    if (!faults_.empty()) return invalid_data(faults_, first_fault_);
    return std::nullopt;
  }

 private:
  // False when the request cannot be answered at all.
  bool check_event(NewEvent& event, std::size_t index, std::uint32_t version) {
    if (!codec_ || type_ != event.type || version_ != version) {
      auto found = find(event.type, version);
      if (!found) {
        failure_ = store_problem(found.error());
        return false;
      }
      codec_ = *std::move(found);
      type_ = event.type;
      version_ = version;
    }
    if (codec_) {
      encode(event, index);
    } else if ((policy_ == SchemaPolicy::kRequired && !pins_.contains(event.type)) || version != 0) {
      if (unknown_.empty()) first_unknown_ = event.type;
      unknown_.add(index, "",
                   version == 0 ? "a registered schema"
                                : "version " + std::to_string(version) + " of a registered schema",
                   event.type);
    }
    return true;
  }

  EventCodecs::Found find(const std::string& type, std::uint32_t version) {
    const auto pin = version == 0 ? pins_.find(type) : pins_.end();
    if (pin == pins_.end()) return codecs_.for_type(type, version);
    if (pin->second.value == 0) return std::shared_ptr<const EventCodec>();
    return codecs_.by_id(pin->second);
  }

  void encode(NewEvent& event, std::size_t index) {
    std::string avro;
    avro.reserve(event.data.size());
    const auto faults = codec_->encoder().encode(event.data, avro);
    for (const DataFault& fault : faults) {
      if (faults_.empty()) {
        first_fault_ = "event " + std::to_string(index) + " (" + event.type + ")" +
                       (fault.path.empty() ? "" : " at " + fault.path) + " wants " + fault.expected +
                       " and has " + fault.found;
      }
      faults_.add(index, fault.path, fault.expected, fault.found);
    }
    event.data = std::move(avro);
    event.schema = codec_->schema().id;
  }

  EventCodecs& codecs_;
  const SchemaPolicy policy_;
  const SchemaPins& pins_;

  // Of the last event; most requests have one type.
  std::shared_ptr<const EventCodec> codec_;
  std::string type_;
  std::uint32_t version_ = 0;

  ErrorList unknown_;
  std::string first_unknown_;
  ErrorList faults_;
  std::string first_fault_;
  std::optional<Problem> failure_;
};

constexpr std::size_t kFrameBytes = 5;

std::uint32_t framed_id(std::string_view bytes) {
  std::uint32_t id = 0;
  for (std::size_t i = 1; i < kFrameBytes; ++i) id = (id << 8) | static_cast<unsigned char>(bytes[i]);
  return id;
}

}  // namespace

std::optional<Problem> apply_schemas(AppendBody& body, EventCodecs& codecs, SchemaPolicy policy,
                                     const SchemaPins& pins) {
  return Checker(codecs, policy, pins).check(body);
}

std::variant<AppendBody, Problem> read_framed_event(std::string stream, std::string type,
                                                    std::string_view bytes, EventCodecs& codecs) {
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
                   "The schema " + std::to_string(id.value) + " is not registered for the type " + type + ".")
        .with_json("errors", errors.json());
  }
  const auto codec = codecs.by_id(id);
  if (!codec) return store_problem(codec.error());
  const std::string_view avro = bytes.substr(kFrameBytes);
  if (const Status status = check_avro((*codec)->plan(), avro); !status) {
    const std::string expected = wanted_value((*codec)->schema().schema.root());
    errors.add(0, "", expected, status.error().message);
    return invalid_data(errors,
                        "event 0 (" + type + ") wants " + expected + " and has " + status.error().message);
  }
  AppendBody body;
  NewEvent event{.type = std::move(type), .data = std::string(avro), .schema = id};
  body.request.streams.push_back({.stream = std::move(stream), .events = {std::move(event)}});
  body.schema_versions.push_back(version);
  return body;
}

}  // namespace cairn::api

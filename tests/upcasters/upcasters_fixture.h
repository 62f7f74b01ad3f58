#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schemaregistry/codec/json_sink.h"
#include "schemaregistry/events/event_codecs.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"
#include "upcasters/model/unreadable.h"
#include "upcasters/model/upcaster.h"

namespace cairn::test {

// A record type of the given fields: {"type":"record","name":"Order","fields":[…]}.
inline std::string record(const std::string& fields, const std::string& name = "Order") {
  return R"({"type":"record","name":")" + name + R"(","fields":[)" + fields + "]}";
}

// Three versions of an order, none of which can read the one before.
inline const std::string kEuros = record(R"({"name":"total","type":"double"})");
inline const std::string kCents = record(R"({"name":"cents","type":"long"})");
inline const std::string kMoney =
    record(R"({"name":"amount","type":"long"},{"name":"currency","type":"string"})");

// A script for a step, around the body of its function.
inline std::string upcaster(const std::string& type, int from, int to, const std::string& body,
                            const std::string& more = "") {
  return "return upcaster {\n  type = \"" + type + "\", from = " + std::to_string(from) +
         ", to = " + std::to_string(to) + "," + more + "\n  upcast = function(data, event)\n" + body +
         "\n  end,\n}\n";
}

inline const std::string kEurosToCents =
    upcaster("Order", 1, 2, "return { cents = math.tointeger(data.total * 100) }");
inline const std::string kCentsToMoney =
    upcaster("Order", 2, 3, "return { amount = data.cents, currency = 'EUR' }");

// What version 0.1 appended to $definitions when an upcaster failed.
inline NewEvent withdrawn_event(const UpcasterHeader& header, const std::string& source) {
  NewEvent event;
  event.type = "UpcasterWithdrawn";
  event.data = R"({"type":")" + header.type + R"(","from":)" + std::to_string(header.from) +
               R"(,"fingerprint":")" + fingerprint_of(header, source) + R"(","reason":"it failed"})";
  return event;
}

// The vocabulary of the tests of upcasters: a store with schemas, events of several versions, and reads of
// them.
class UpcastersTest : public StoreTest {
 protected:
  SchemaRegistry& registry() {
    open_all();
    return *registry_;
  }
  EventShapes& shapes() {
    open_all();
    return *shapes_;
  }
  void restart() {
    close_all();
    reopen();
  }
  void close_all() {
    shapes_.reset();
    codecs_.reset();
    registry_.reset();
    close();
  }

  // The version that a schema became. It need not be compatible.
  void registered(const std::string& type, const std::string& schema) {
    const auto id = registry().register_schema(
        {type, {schema, {}}, Normalize::kNo, CheckCompatibility::kNo, std::nullopt, std::nullopt});
    ASSERT_TRUE(id.ok()) << id.error().message;
  }

  NewEvent event_of(const std::string& type, std::uint32_t version, const std::string& json) {
    open_all();
    const auto codec = value_of(codecs_->for_type(type, version));
    NewEvent event;
    if (codec == nullptr) {
      ADD_FAILURE() << type << " has no version " << version;
      return event;
    }
    event.type = type;
    event.schema = codec->schema().id;
    const auto faults = codec->encoder().encode(json, event.data);
    EXPECT_TRUE(faults.empty()) << json << ": " << (faults.empty() ? "" : faults.front().path);
    return event;
  }
  StreamAppendResult append_as(const std::string& stream, const std::string& type, std::uint32_t version,
                               const std::string& json) {
    return append(stream, {event_of(type, version, json)});
  }

  static std::string json_of(const ShapedEvent& part) {
    if (part.plan == nullptr) return std::string(part.data);
    std::string json;
    const Status status = append_avro_as_json(*part.plan, part.data, json);
    return status ? json : "unreadable: " + status.error().message;
  }

  // The parts of one event: "Order@2 {…}" for each, with its number if there are several, or the fault.
  static std::vector<std::string> shaped(Shaper& shaper, const EventView& event, Shape shape) {
    if (const auto shaped = shaper.shape(event, shape); !shaped) {
      return {"fault: " + shaped.error().message};
    }
    std::vector<std::string> seen;
    for (const ShapedEvent& part : shaper.parts()) {
      std::string text(part.type);
      text += "@" + std::to_string(part.schema_version);
      if (part.part != 0) text += "#" + std::to_string(part.part);
      NullSink nothing;
      const Status status = part.plan == nullptr ? Status() : part.read(nothing);
      seen.push_back(status ? text + " " + json_of(part)
                            : "fault: " + unreadable(event, part, status.error()).message);
    }
    return seen;
  }

  // All events of a stream in a shape.
  std::vector<std::string> read(const std::string& stream, Shape shape = Shape::latest()) {
    const StreamPage page = value_of(store().read_stream(stream, {}));
    const ShaperPool::Lease shaper = shapes().shapers().lease();
    std::vector<std::string> seen;
    for (const EventView& event : page.events) {
      for (std::string& text : shaped(*shaper, event, shape)) seen.push_back(std::move(text));
    }
    return seen;
  }

  DeployOutcome deploy(const std::string& source, DeployOptions options = {}) {
    return shapes().deployer().deploy({.source = source, .file = "test.lua"}, options);
  }
  DeployOutcome register_with(const std::string& type, const std::string& schema, const std::string& source,
                              DeployOptions options = {}) {
    return shapes().deployer().register_schema(
        {type, {schema, {}}, Normalize::kNo, CheckCompatibility::kYes, std::nullopt, std::nullopt},
        {.source = source, .file = "test.lua"}, options);
  }

  // The result of a deployment as text.
  static std::string told(const DeployOutcome& outcome) {
    if (outcome) {
      return std::string(outcome->unchanged ? "unchanged" : "deployed") + ", checked " +
             std::to_string(outcome->report.checked);
    }
    const DeployRefusal& refusal = outcome.error();
    if (const auto* script = std::get_if<ScriptError>(&refusal)) return "script: " + script->text();
    if (const auto* step = std::get_if<StepRefusal>(&refusal)) return step->reason + ": " + step->message;
    if (const auto* schema = std::get_if<RegistryError>(&refusal)) return "schema: " + schema->message;
    if (const auto* error = std::get_if<Error>(&refusal)) return "store: " + error->message;
    const auto& report = std::get<VerificationReport>(refusal);
    return "failed on " + std::to_string(report.failed) + " of " + std::to_string(report.checked) +
           ": position " + std::to_string(report.failures.at(0).position.value) + ": " +
           report.failures.at(0).message;
  }
  void deployed(const std::string& source) {
    const auto outcome = deploy(source);
    EXPECT_TRUE(outcome) << told(outcome);
  }

 private:
  void open_all() {
    if (shapes_ != nullptr) return;
    auto opened = SchemaRegistry::open(store());
    ASSERT_THAT(opened, succeeds());
    registry_ = *std::move(opened);
    codecs_ = std::make_unique<EventCodecs>(*registry_);
    auto shapes = EventShapes::open(store(), *registry_, {}, options().on_log);
    ASSERT_THAT(shapes, succeeds());
    shapes_ = *std::move(shapes);
  }

  std::unique_ptr<SchemaRegistry> registry_;
  std::unique_ptr<EventCodecs> codecs_;
  std::unique_ptr<EventShapes> shapes_;
};

}  // namespace cairn::test

#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "eventstore/types.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn {

// What reads and writes the data of events of one schema. Never changes; any thread.
class EventCodec {
 public:
  static Result<std::shared_ptr<const EventCodec>> make(std::shared_ptr<const StoredSchema> schema);

  const StoredSchema& schema() const { return *schema_; }
  const JsonEncoder& encoder() const { return encoder_; }
  const DecodePlan& plan() const { return plan_; }  // reads what was written as it was written

 private:
  EventCodec(std::shared_ptr<const StoredSchema> schema, JsonEncoder encoder, DecodePlan plan)
      : schema_(std::move(schema)), encoder_(std::move(encoder)), plan_(std::move(plan)) {}

  std::shared_ptr<const StoredSchema> schema_;
  JsonEncoder encoder_;
  DecodePlan plan_;
};

// What reads events of one schema as another one has them. Never changes; any thread.
class EventReader {
 public:
  EventReader(std::shared_ptr<const EventCodec> writer, std::shared_ptr<const EventCodec> reader,
              DecodePlan plan)
      : writer_(std::move(writer)), reader_(std::move(reader)), plan_(std::move(plan)) {}

  const DecodePlan& plan() const { return plan_; }

 private:
  // The plan points into their schemas.
  std::shared_ptr<const EventCodec> writer_;
  std::shared_ptr<const EventCodec> reader_;
  DecodePlan plan_;
};

// The codecs of all schemas in use, each made once. The type of an event is the subject of its schema. All
// functions may be called from any thread, at once.
class EventCodecs {
 public:
  using Found = Result<std::shared_ptr<const EventCodec>>;  // nullptr: there is no such schema

  // REQUIRES: `registry` outlives it.
  explicit EventCodecs(SchemaRegistry& registry) : registry_(registry) {}

  // To write events of the type: the schema's version, 0 = the newest.
  Found for_type(std::string_view type, std::uint32_t version);

  // To read events.
  Found by_id(SchemaId id);

  // To read events of one schema as another one has them; each pair is compiled once. nullptr: there is no
  // such schema.
  Result<std::shared_ptr<const EventReader>> reader(SchemaId written, SchemaId wanted);

  // The version the schema has among those of the type; 0 when it has none, or none any more.
  std::uint32_t version_of(std::string_view type, SchemaId id) {
    return registry_.version_of(type, id).value_or(0);
  }

 private:
  Found codec_of(std::shared_ptr<const StoredSchema> schema);
  std::shared_ptr<const EventCodec> known(SchemaId id) const;

  SchemaRegistry& registry_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const EventReader>> readers_;  // by both ids
  std::unordered_map<std::uint32_t, std::shared_ptr<const EventCodec>>
      codecs_;  // an id stands for one schema for ever
};

}  // namespace cairn

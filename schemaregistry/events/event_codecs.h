#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "eventstore/base/mutex.h"
#include "eventstore/types.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/registry/schema_registry.h"

namespace cairn {

// Reads and writes the data of events of one schema. Immutable; thread-safe.
class EventCodec {
 public:
  static Result<std::shared_ptr<const EventCodec>> make(std::shared_ptr<const StoredSchema> schema);

  const StoredSchema& schema() const { return *schema_; }
  const JsonEncoder& encoder() const { return encoder_; }
  const DecodePlan& plan() const { return plan_; }  // reads data as the schema that it was written with

 private:
  EventCodec(std::shared_ptr<const StoredSchema> schema, JsonEncoder encoder, DecodePlan plan)
      : schema_(std::move(schema)), encoder_(std::move(encoder)), plan_(std::move(plan)) {}

  std::shared_ptr<const StoredSchema> schema_;
  JsonEncoder encoder_;
  DecodePlan plan_;
};

// Reads events of one schema as another one (Avro's schema resolution). Immutable; thread-safe.
class EventReader {
 public:
  EventReader(std::shared_ptr<const EventCodec> writer, std::shared_ptr<const EventCodec> reader,
              DecodePlan plan)
      : writer_(std::move(writer)), reader_(std::move(reader)), plan_(std::move(plan)) {}

  const DecodePlan& plan() const { return plan_; }

 private:
  // Kept alive because the plan points into their schemas.
  std::shared_ptr<const EventCodec> writer_;
  std::shared_ptr<const EventCodec> reader_;
  DecodePlan plan_;
};

// A cache of the codecs of all schemas in use, each compiled once. The type of an event is the subject of its
// schema. Thread-safe.
class EventCodecs {
 public:
  using Found = Result<std::shared_ptr<const EventCodec>>;  // nullptr: there is no such schema

  // REQUIRES: `registry` outlives it.
  explicit EventCodecs(SchemaRegistry& registry) : registry_(registry) {}

  // The codec to write events of a type with a version of its schema; 0 = the newest.
  Found for_type(std::string_view type, std::uint32_t version);

  // The codec to read events with.
  Found by_id(SchemaId id);

  // Reads events of one schema as another; each pair is compiled once. nullptr: there is no such schema.
  Result<std::shared_ptr<const EventReader>> reader(SchemaId written, SchemaId wanted);

  // The version of the type that has the schema; 0 when none has, or its version was deleted.
  std::uint32_t version_of(std::string_view type, SchemaId id) {
    return registry_.version_of(type, id).value_or(0);
  }

 private:
  Found codec_of(std::shared_ptr<const StoredSchema> schema);
  std::shared_ptr<const EventCodec> known(SchemaId id) const;

  SchemaRegistry& registry_;
  mutable SharedMutex mutex_;
  // By both ids, and by id. Entries never change: an id stands for one schema forever.
  std::unordered_map<std::uint64_t, std::shared_ptr<const EventReader>> readers_ CAIRN_GUARDED_BY(mutex_);
  std::unordered_map<std::uint32_t, std::shared_ptr<const EventCodec>> codecs_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn

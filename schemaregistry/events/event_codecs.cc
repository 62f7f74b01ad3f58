#include "schemaregistry/events/event_codecs.h"

#include <utility>

namespace cairn {

Result<std::shared_ptr<const EventCodec>> EventCodec::make(std::shared_ptr<const StoredSchema> schema) {
  CAIRN_TRY(JsonEncoder encoder, JsonEncoder::make(schema->schema));
  CAIRN_TRY(DecodePlan plan, DecodePlan::compile(schema->schema, schema->schema));
  return std::shared_ptr<const EventCodec>(
      new EventCodec(std::move(schema), std::move(encoder), std::move(plan)));
}

EventCodecs::Found EventCodecs::for_type(std::string_view type, std::uint32_t version) {
  return codec_of(version == 0 ? registry_.latest(type) : registry_.version(type, version));
}

EventCodecs::Found EventCodecs::by_id(SchemaId id) {
  if (auto codec = known(id)) return codec;
  return codec_of(registry_.by_id(id));
}

Result<std::shared_ptr<const EventReader>> EventCodecs::reader(SchemaId written, SchemaId wanted) {
  const std::uint64_t key = (std::uint64_t{written.value} << 32) | wanted.value;
  {
    const ReaderLock lock(mutex_);
    if (const auto found = readers_.find(key); found != readers_.end()) return found->second;
  }
  CAIRN_TRY(auto writer, by_id(written));
  CAIRN_TRY(auto reader, by_id(wanted));
  if (!writer || !reader) return std::shared_ptr<const EventReader>();
  CAIRN_TRY(DecodePlan plan, DecodePlan::compile(writer->schema().schema, reader->schema().schema));
  auto made = std::make_shared<const EventReader>(std::move(writer), std::move(reader), std::move(plan));
  const WriterLock lock(mutex_);
  return readers_.try_emplace(key, std::move(made)).first->second;
}

EventCodecs::Found EventCodecs::codec_of(std::shared_ptr<const StoredSchema> schema) {
  if (!schema) return std::shared_ptr<const EventCodec>();
  const SchemaId id = schema->id;
  if (auto codec = known(id)) return codec;
  CAIRN_TRY(auto made, EventCodec::make(std::move(schema)));
  const WriterLock lock(mutex_);
  return codecs_.try_emplace(id.value, std::move(made)).first->second;
}

std::shared_ptr<const EventCodec> EventCodecs::known(SchemaId id) const {
  const ReaderLock lock(mutex_);
  const auto found = codecs_.find(id.value);
  return found == codecs_.end() ? nullptr : found->second;
}

}  // namespace cairn

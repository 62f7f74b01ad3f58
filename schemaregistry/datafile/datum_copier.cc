#include "schemaregistry/datafile/datum_copier.h"

#if CAIRN_HAVE_AVRO

#include <avro/Decoder.hh>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/datafile/avro_file_reader.h"

namespace cairn {

namespace {

Error damaged(std::string what) { return make_error(Errc::kCorruption, std::move(what)); }

}  // namespace

Status DatumCopier::copy(const SchemaNode& type, avro::Decoder& from, std::string& to) {
  from_ = &from;
  to_ = &to;
  depth_ = 0;
  empty_items_ = 0;
  return copy_value(type);
}

std::int64_t DatumCopier::copy_long() {
  const std::int64_t value = from_->decodeLong();
  append_avro_long(*to_, value);
  return value;
}

Status DatumCopier::copy_raw(std::int64_t size) {
  if (size < 0 || static_cast<std::uint64_t>(size) > kAvroRecordBytesMax - to_->size()) {
    return damaged("a length of " + std::to_string(size) + " bytes");
  }
  if (size == 0) return {};
  from_->decodeFixed(static_cast<std::size_t>(size), bytes_);
  to_->append(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  return {};
}

Status DatumCopier::copy_value(const SchemaNode& type) {
  if (to_->size() + 16 > kAvroRecordBytesMax) return damaged("a record that does not end");
  switch (type.kind) {
    case SchemaKind::kNull:
      return {};
    case SchemaKind::kBoolean:
      return copy_raw(1);
    case SchemaKind::kInt:
    case SchemaKind::kLong:
    case SchemaKind::kEnum:
      copy_long();
      return {};
    case SchemaKind::kFloat:
      return copy_raw(sizeof(float));
    case SchemaKind::kDouble:
      return copy_raw(sizeof(double));
    case SchemaKind::kBytes:
    case SchemaKind::kString:
      return copy_raw(copy_long());
    case SchemaKind::kFixed:
      return copy_raw(type.size);
    default:
      break;
  }
  if (++depth_ > kDataDepthMax) return damaged("values nested too deep");
  if (type.kind == SchemaKind::kRecord) {
    for (const SchemaField& field : type.fields) CAIRN_CHECK(copy_value(*field.type));
  } else if (type.kind == SchemaKind::kUnion) {
    const std::int64_t branch = copy_long();
    if (branch < 0 || static_cast<std::uint64_t>(branch) >= type.branches.size()) {
      return damaged("a type the union does not have");
    }
    CAIRN_CHECK(copy_value(*type.branches[static_cast<std::size_t>(branch)]));
  } else {
    CAIRN_CHECK(copy_items(type));
  }
  --depth_;
  return {};
}

// Arrays and maps: blocks of items until an empty one. The copy has positive counts, without the sizes of
// blocks.
Status DatumCopier::copy_items(const SchemaNode& type) {
  for (;;) {
    std::int64_t count = from_->decodeLong();
    if (count < 0) {
      if (count == INT64_MIN) return damaged("a count of items that cannot be");
      count = -count;
      from_->decodeLong();  // the size of the block in bytes
    }
    append_avro_long(*to_, count);
    if (count == 0) return {};
    for (; count > 0; --count) {
      const std::size_t before = to_->size();
      if (type.kind == SchemaKind::kMap) CAIRN_CHECK(copy_raw(copy_long()));
      CAIRN_CHECK(copy_value(*type.element));
      if (to_->size() == before && ++empty_items_ > kEmptyValuesMax) {
        return damaged("too many items that take no bytes");
      }
    }
  }
}

}  // namespace cairn

#endif

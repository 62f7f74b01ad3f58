// Any bytes are decoded or refused, for every pair of schemas; a decoded value, shown as JSON, encodes to the
// same value.

#include <cstddef>
#include <cstdint>

#include "eventstore/json/json_check.h"
#include "schemaregistry/codec/check_sink.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/codec/json_sink.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/fuzz/fuzz_schemas.h"

namespace {

using namespace cairn;

struct Codec {
  explicit Codec(std::string_view text)
      : schema(*parse_schema(text)),
        encoder(*JsonEncoder::make(schema)),
        plan(*DecodePlan::compile(schema, schema)) {}

  Schema schema;
  JsonEncoder encoder;
  DecodePlan plan;
};

const std::vector<std::unique_ptr<Codec>>& codecs() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Codec>> made;
    for (const std::string_view text : fuzz::kSchemas) made.push_back(std::make_unique<Codec>(text));
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view avro(reinterpret_cast<const char*>(bytes) + 2, size - 2);
  const Codec& writer = *codecs()[bytes[0] % codecs().size()];
  const Codec& reader = *codecs()[bytes[1] % codecs().size()];

  // Schema resolution gives a value or an error.
  static std::vector<std::optional<DecodePlan>> pairs(codecs().size() * codecs().size());
  auto& pair = pairs[(bytes[0] % codecs().size()) * codecs().size() + bytes[1] % codecs().size()];
  if (!pair) pair = *DecodePlan::compile(writer.schema, reader.schema);
  std::string as_reader;
  (void)append_avro_as_json(*pair, avro, as_reader).ok();

  if (!check_avro(writer.plan, avro).ok()) return 0;
  std::string shown;
  CAIRN_ASSERT(append_avro_as_json(writer.plan, avro, shown).ok());
  if (check_json(shown, 300).has_value()) CAIRN_ASSERT(false, shown);
  std::string again;
  CAIRN_ASSERT(writer.encoder.encode(shown, again).empty(), shown);
  std::string shown_again;
  CAIRN_ASSERT(append_avro_as_json(writer.plan, again, shown_again).ok(), shown);
  CAIRN_ASSERT(shown == shown_again, shown, shown_again);
  return 0;
}

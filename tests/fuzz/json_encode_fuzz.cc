// Any JSON is encoded or refused; an encoded value decodes, and encodes to the same bytes.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "eventstore/json/json_check.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/codec/json_sink.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/fuzz/fuzz_schemas.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cairn;
  if (size == 0) return 0;
  const std::string_view json(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  if (check_json(json).has_value()) return 0;

  static const auto schemas = [] {
    std::vector<std::unique_ptr<Schema>> made;
    for (const std::string_view text : fuzz::kSchemas)
      made.push_back(std::make_unique<Schema>(*parse_schema(text)));
    return made;
  }();
  static std::vector<std::optional<JsonEncoder>> encoders(schemas.size());
  static std::vector<std::optional<DecodePlan>> plans(schemas.size());
  const std::size_t chosen = bytes[0] % schemas.size();
  if (!encoders[chosen]) {
    encoders[chosen] = *JsonEncoder::make(*schemas[chosen]);
    plans[chosen] = *DecodePlan::compile(*schemas[chosen], *schemas[chosen]);
  }

  std::string avro;
  if (!encoders[chosen]->encode(json, avro).empty()) {
    CAIRN_ASSERT(avro.empty());
    return 0;
  }
  std::string shown;
  CAIRN_ASSERT(append_avro_as_json(*plans[chosen], avro, shown).ok(), json);
  std::string again;
  CAIRN_ASSERT(encoders[chosen]->encode(shown, again).empty(), shown);
  CAIRN_ASSERT(again == avro, shown);
  return 0;
}

// Any text is parsed or refused; the printed text of a parsed schema parses to the same schema.

#include <cstddef>
#include <cstdint>

#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/canonical_form.h"
#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cairn;
  const auto schema = parse_schema({reinterpret_cast<const char*>(bytes), size});
  if (!schema) return 0;
  const std::string text = schema_text(*schema);
  const auto again = parse_schema(text);
  CAIRN_ASSERT(again.ok(), text);
  CAIRN_ASSERT(schema_text(*again) == text, text);
  CAIRN_ASSERT(canonical_form(*again) == canonical_form(*schema), text);
  CAIRN_ASSERT(parse_schema(normalized_schema_text(*schema)).ok(), text);
  CAIRN_ASSERT(find_incompatibilities(*again, *schema).empty(), text);
  CAIRN_ASSERT(JsonEncoder::make(*schema).ok(), text);
  CAIRN_ASSERT(DecodePlan::compile(*schema, *again).ok(), text);
  return 0;
}

#include "schemaregistry/model/parse_schema.h"

#include "schemaregistry/model/schema_nesting.h"
#include "schemaregistry/model/schema_reader.h"

namespace cairn {

Result<Schema> parse_schema(std::string_view text, std::span<const std::string_view> references) {
  std::size_t bytes = text.size();
  for (const std::string_view reference : references) bytes += reference.size();
  if (bytes > kSchemaBytesMax) {
    Error error =
        make_error(Errc::kTooLarge, "the schema, with those it refers to, has " + std::to_string(bytes) +
                                        " bytes; " + std::to_string(kSchemaBytesMax) + " are allowed");
    error.limit = kSchemaBytesMax;
    return error;
  }
  if (references.size() > kSchemaReferencesMax) {
    Error error =
        make_error(Errc::kTooLarge, "the schema refers to " + std::to_string(references.size()) +
                                        " others; " + std::to_string(kSchemaReferencesMax) + " are allowed");
    error.limit = kSchemaReferencesMax;
    return error;
  }
  SchemaReader reader;
  for (const std::string_view reference : references) CAIRN_CHECK(reader.read(reference, true));
  CAIRN_CHECK(reader.read(text, false));
  CAIRN_TRY(Schema schema, std::move(reader).finish());
  // One text cannot be nested deeper than it is; a chain of texts can.
  if (!references.empty() && is_nested_deeper(schema.root(), kSchemaSpelledOutDepthMax)) {
    Error error =
        make_error(Errc::kTooLarge, "the schema, with those it refers to written out, is nested more than " +
                                        std::to_string(kSchemaSpelledOutDepthMax) + " deep");
    error.limit = kSchemaSpelledOutDepthMax;
    return error;
  }
  return schema;
}

}  // namespace cairn

#pragma once

#include <string>
#include <string_view>

#include "eventstore/json/json_cursor.h"
#include "schemaregistry/codec/encode_program.h"

namespace cairn {

enum class UnionStyle {
  kPlainOrTagged,  // in data of clients
  kPlainInOrder,   // in defaults of schemas: the plain value, for the first type that it fits
};

// Appends a JSON value of the kind `kind`, written as `raw`, as the scalar type of `node`. False when it does
// not fit, or the type is no scalar; `to` is then unchanged.
bool append_scalar(const EncodeNode& node, UnionStyle style, JsonKind kind, std::string_view raw,
                   std::string& to);

}  // namespace cairn

#pragma once

#include <string>

#include "schemaregistry/model/schema.h"
#include "tests/support/random.h"

namespace cairn::test {

struct RandomSchemaOptions {
  int depth = 4;  // of types within types
  bool for_reference_codecs =
      false;  // leave out what Avro C++ 1.8.2 or python3-avro read otherwise than the specification
};

// The text of some schema: every kind of type, named types used again, recursion, defaults, aliases.
std::string random_schema(Random& random, const RandomSchemaOptions& options = {});

// A schema that differs from this one in a few places, as a next version might: fields come, go, move, get
// another type, symbols and union types come and go.
std::string changed_schema(Random& random, const Schema& schema);

// Some value of the type in the JSON that Cairn reads; empty when it has none (an enum without symbols).
std::string random_value(Random& random, const SchemaNode& type, int depth = 0);

}  // namespace cairn::test

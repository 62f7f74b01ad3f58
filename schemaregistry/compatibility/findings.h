#pragma once

#include <vector>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/compatibility/pair_graph.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Every reason why `reader` cannot read `writer`, each with its path, in the order of the reader's schema. A
// pair of named types gives its reasons once, where it is met first. At least one; the last is kTooComplex
// when there is more to say than anybody reads. REQUIRES: `graph` says that it cannot.
std::vector<Incompatibility> collect_findings(PairGraph& graph, const SchemaNode& reader,
                                              const SchemaNode& writer);

}  // namespace cairn

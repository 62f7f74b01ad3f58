#pragma once

#include <vector>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/compatibility/pair_graph.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Every reason why `reader` cannot read `writer`, each with its path, in the order of the reader's schema. A
// pair of named types is reported once, at its first occurrence. At least one; the last is kTooComplex when
// the list was cut. Only some of them when the graph's budget ends meanwhile. REQUIRES: `graph` found them
// incompatible.
std::vector<Incompatibility> collect_findings(PairGraph& graph, const SchemaNode& reader,
                                              const SchemaNode& writer);

}  // namespace cairn

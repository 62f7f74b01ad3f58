#pragma once

#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"

namespace cairn::cli {

// Sorts the files topologically: each file comes after the files it refers to and after the lower numbers of
// its subject; otherwise the order is kept. kInvalidArgument when the references form a cycle, which the
// message names.
Result<std::vector<SchemaFile>> in_registration_order(std::vector<SchemaFile> files);

// Whether a reference to this version of the file's subject may mean this file. A file without a number may
// become any version.
bool may_mean(const SchemaReference& reference, const SchemaFile& file);

}  // namespace cairn::cli

#pragma once

#include <vector>

#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"

namespace cairn::cli {

// The files in an order in which they can be registered: each behind those it refers to and behind the lower
// numbers of its subject, and otherwise as they came. kInvalidArgument when they refer to each other in a
// circle, which the message names.
Result<std::vector<SchemaFile>> in_registration_order(std::vector<SchemaFile> files);

// Whether a reference to this version of the file's subject may mean this file. A file without a number may
// become any version.
bool may_mean(const SchemaReference& reference, const SchemaFile& file);

}  // namespace cairn::cli

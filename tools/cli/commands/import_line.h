#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "tools/cli/text/event_text.h"

namespace cairn::cli {

// One line of a file to import.
struct ImportLine {
  std::string stream;
  EventText event;
  bool was_stored = false;  // has the position of another store
  std::string
      missing_schema;  // that the line names and the server does not have: "version 1 of …"; "" = none
};

// Reads {"stream","type","data","id"?,"metadata"?,"tags"?,"schemaVersion"?}. A line of `cairn read --json` is
// accepted too; its position, version and time in the other store are ignored. kInvalidArgument for anything else.
//
// A line without an id gets one derived from its number and its text, which makes the import of a file
// idempotent. `number` counts from 1.
Result<ImportLine> parse_import_line(std::string_view line, std::uint64_t number);

}  // namespace cairn::cli

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
  bool was_stored = false;  // it is a whole event, with the place it had in another store
};

// Reads {"stream","type","data","id"?,"metadata"?,"tags"?}. A whole event as `cairn read --json` prints it is
// taken too: where it stood is its old store's business and is left out. kInvalidArgument for anything else.
//
// A line without an id gets one made of its number and its text, so that the same file has the same ids
// whenever it is imported. `number` counts from 1.
Result<ImportLine> parse_import_line(std::string_view line, std::uint64_t number);

}  // namespace cairn::cli

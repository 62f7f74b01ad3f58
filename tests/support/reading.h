#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"

// Reads all pages, as a client does: follows `next` until there is none.
namespace cairn::test {

Result<std::vector<Event>> read_all(LogReader& log, LogQuery query);
Result<std::vector<Event>> read_whole_stream(EventStore& store, const std::string& stream, StreamQuery query);
Result<std::vector<StreamInfo>> list_all(EventStore& store, StreamListQuery query);
Result<std::vector<Event>> read_whole_system_stream(LogReader& log, const std::string& stream,
                                                    StreamQuery query);
Result<std::vector<Event>> scan_all(LogReader& log, GlobalPosition from = {1});

}  // namespace cairn::test

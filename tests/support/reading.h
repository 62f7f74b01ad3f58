#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"

// Whole reads made of pages: each follows `next` until there is none, as a client would.
namespace cairn::test {

Result<std::vector<Event>> read_all(EventStore& store, LogQuery query);
Result<std::vector<Event>> read_whole_stream(EventStore& store, const std::string& stream, StreamQuery query);
Result<std::vector<StreamInfo>> list_all(EventStore& store, StreamListQuery query);
Result<std::vector<Event>> scan_all(EventStore& store, GlobalPosition from = {1});

}  // namespace cairn::test

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// The event at a position as JSON, for a report; "null" when it cannot be read.
using EventAsJson = std::function<std::string(GlobalPosition position)>;

// {"parked":[{"key","by","generation","events","position","kind","message","line","parkedAt","retries",
// "event"}],"next"}; "by" is key or stream; "line" is 0 for an error without a line.
std::string to_json(const ParkedList& list, const EventAsJson& event);

// {"key","entries":[…]}, each as above with "positions".
std::string parked_key_json(std::string_view key, const std::vector<ParkedKeyDetail>& entries,
                            const EventAsJson& event);

// {"redrive":{"id","state","reason","dryRun","keysPerSecond","stopAfterFailures","keys","tried","released",
// "failed","eventsApplied","failures":[{"key","by","generation","position","kind","message","line"}],"startedAt",
// "endedAt"}}; null where there is nothing to say.
std::string to_json(const RedriveReport& report);

// {"keys","released","events"}
std::string to_json(const RetryReport& report);

}  // namespace cairn::api

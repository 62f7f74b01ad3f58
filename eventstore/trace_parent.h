#pragma once

#include <string_view>

// The member "traceparent" of an event's metadata: the trace (W3C Trace Context) in which the event was
// appended. A client that sends an append again may do so in another span or trace.
namespace cairn {

inline constexpr std::string_view kTraceParent = "traceparent";

// Whether `text` is a traceparent of version 00: "00-<32 hex>-<16 hex>-<2 hex>" in lower case, where neither
// id is zero.
bool is_trace_parent(std::string_view text);

// What stands between the braces of `metadata`, without a traceparent that is the last member of the compact
// text, which is where the server puts it. Never fails; O(1).
std::string_view members_before_trace_parent(std::string_view metadata);

}  // namespace cairn

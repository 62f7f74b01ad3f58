#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/http/fair_queue.h"
#include "api/net/memory_budget.h"

// Which streams (NDJSON, server-sent events) the server closes before it refuses a client: those whose client
// does not read. They hold memory and a connection that other clients need, and a client that connects again
// resumes where it was. Pure: the caller supplies the clock and closes the streams.
namespace cairn::api {

// A stream whose send has made no progress since `since`. A value.
struct BlockedStream {
  std::uint64_t connection = 0;
  std::chrono::steady_clock::time_point since;
  ClientId client = 0;
  std::size_t bytes = 0;  // that it holds of the memory of answers
};

// The streams that may be closed, longest blocked first: those that have been blocked for `blocked_min`. The
// socket of a client that reads is full for a moment only.
std::vector<BlockedStream> closable(std::vector<BlockedStream> streams,
                                    std::chrono::steady_clock::time_point now,
                                    std::chrono::steady_clock::duration blocked_min);

// The first of `streams` that hold memory, as many as are needed so that `client` may have `bytes` more; none
// if it may have them now. nullopt when closing all of them is not enough: closing some would help no client.
std::optional<std::vector<BlockedStream>> streams_to_close(const std::vector<BlockedStream>& streams,
                                                           MemoryUse use, std::size_t bytes, ClientId client);

}  // namespace cairn::api

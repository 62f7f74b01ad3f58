#include "api/net/blocked_streams.h"

#include <algorithm>

namespace cairn::api {

std::vector<BlockedStream> closable(std::vector<BlockedStream> streams,
                                    std::chrono::steady_clock::time_point now,
                                    std::chrono::steady_clock::duration blocked_min) {
  std::erase_if(streams, [&](const BlockedStream& each) { return now - each.since < blocked_min; });
  std::sort(streams.begin(), streams.end(),
            [](const BlockedStream& a, const BlockedStream& b) { return a.since < b.since; });
  return streams;
}

std::optional<std::vector<BlockedStream>> streams_to_close(const std::vector<BlockedStream>& streams,
                                                           MemoryUse use, std::size_t bytes,
                                                           ClientId client) {
  std::vector<BlockedStream> closed;
  auto next = streams.begin();
  while (use.check(bytes, client) != MemoryUse::Grown::kYes) {
    next = std::find_if(next, streams.end(), [](const BlockedStream& each) { return each.bytes > 0; });
    if (next == streams.end()) return std::nullopt;
    use.remove(next->bytes, next->client);
    closed.push_back(*next);
    ++next;
  }
  return closed;
}

}  // namespace cairn::api

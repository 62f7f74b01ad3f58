#include "eventstore/append/append_backlog.h"

#include "eventstore/base/assert.h"

namespace cairn {

void AppendBacklog::push(AppendEntry entry) {
  const std::uint64_t client = entry.pending->request.client;
  const auto [waiting, is_new] = clients_.try_emplace(client);
  if (is_new) turns_.push_back(client);
  waiting->second.bytes += entry.pending->bytes;
  waiting->second.entries.push_back(std::move(entry));
  ++size_;
}

AppendEntry AppendBacklog::take_first(std::uint64_t client) {
  const auto waiting = clients_.find(client);
  AppendEntry entry = std::move(waiting->second.entries.front());
  waiting->second.entries.pop_front();
  waiting->second.bytes -= entry.pending->bytes;
  if (waiting->second.entries.empty()) clients_.erase(waiting);
  --size_;
  return entry;
}

std::vector<AppendEntry> AppendBacklog::take(const Limits& limits) {
  std::vector<AppendEntry> batch;
  std::optional<AppendEntry> large;
  std::size_t bytes = 0;
  std::unordered_map<std::uint64_t, std::size_t> taken;  // bytes by client
  std::deque<std::uint64_t> postponed;  // their first request is large, and not the first one
  std::deque<std::uint64_t> served;     // have had their part
  while (!turns_.empty() && batch.size() + (large ? 1 : 0) < limits.requests_max) {
    const std::uint64_t client = turns_.front();
    const std::size_t size = clients_.at(client).entries.front().pending->bytes;
    const auto before = taken.find(client);
    const bool is_first = before == taken.end();
    if (size > limits.client_bytes_max) {
      turns_.pop_front();
      if (!is_first) {
        served.push_back(client);
      } else if (large) {
        postponed.push_back(client);
      } else {
        large = take_first(client);
        if (clients_.contains(client)) served.push_back(client);
      }
      continue;
    }
    if (!is_first && before->second + size > limits.client_bytes_max) {
      turns_.pop_front();
      served.push_back(client);
      continue;
    }
    if (!batch.empty() && bytes + size > limits.bytes_max) break;
    turns_.pop_front();
    taken[client] += size;
    bytes += size;
    batch.push_back(take_first(client));
    if (clients_.contains(client)) turns_.push_back(client);
  }
  if (large) batch.push_back(*std::move(large));
  turns_.insert(turns_.begin(), postponed.begin(), postponed.end());
  turns_.insert(turns_.end(), served.begin(), served.end());
  CAIRN_ASSERT(turns_.size() == clients_.size(), turns_.size(), clients_.size());
  return batch;
}

}  // namespace cairn

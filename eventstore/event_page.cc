#include "eventstore/event_page.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace cairn {
namespace {

constexpr std::size_t kChunkBytes = 64u << 10;

}  // namespace

char* EventPage::allocate(std::size_t size, std::size_t alignment) {
  std::size_t start = (chunk_used_ + alignment - 1) / alignment * alignment;
  if (chunks_.empty() || start + size > chunk_size_) {
    chunk_size_ = std::max(kChunkBytes, size);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_size_));
    start = 0;
  }
  chunk_used_ = start + size;
  bytes_ += size;
  return chunks_.back().get() + start;
}

std::string_view EventPage::copy(std::string_view text) {
  if (text.empty()) return {};
  char* const to = allocate(text.size(), 1);
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

void EventPage::add(const EventView& event) {
  EventView owned = event;
  // Neighbours in a page are often of the same stream or type; they can share the name.
  const EventView* const last = events_.empty() ? nullptr : &events_.back();
  owned.stream = last != nullptr && last->stream == event.stream ? last->stream : copy(event.stream);
  owned.type = last != nullptr && last->type == event.type ? last->type : copy(event.type);
  owned.data = copy(event.data);
  owned.metadata = copy(event.metadata);
  owned.content_type = copy(event.content_type);
  owned.command_id = copy(event.command_id);
  if (!event.tags.empty()) {
    auto* const tags = reinterpret_cast<std::string_view*>(
        allocate(event.tags.size() * sizeof(std::string_view), alignof(std::string_view)));
    for (std::size_t i = 0; i < event.tags.size(); ++i) new (tags + i) std::string_view(copy(event.tags[i]));
    owned.tags = {tags, event.tags.size()};
  }
  events_.push_back(owned);
}

void EventPage::reverse() { std::reverse(events_.begin(), events_.end()); }

}  // namespace cairn

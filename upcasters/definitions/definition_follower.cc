#include "upcasters/definitions/definition_follower.h"

#include <string>
#include <utility>

#include "upcasters/definitions/upcaster_event.h"

namespace cairn {

namespace {

constexpr std::size_t kPageEvents = 100;
constexpr std::size_t kPageBytes = 8u << 20;

}  // namespace

Status DefinitionFollower::catch_up(const std::function<Status(const EventView& stored)>& take) {
  const std::uint64_t head = log_.head().value;
  if (head == seen_head_.load(std::memory_order_acquire)) return {};
  const MutexLock one_at_a_time(mutex_);
  CAIRN_TRY(const auto info, log_.system_stream_info(kDefinitionStream));
  while (info && version() < info->version.value) {
    const StreamQuery query{
        .from = StreamVersion{version() + 1}, .limit = kPageEvents, .bytes_max = kPageBytes};
    CAIRN_TRY(const StreamPage page, log_.read_system_stream(kDefinitionStream, query));
    for (const EventView& stored : page.events) {
      CAIRN_CHECK(take(stored));
      version_.store(stored.version.value, std::memory_order_release);
    }
  }
  seen_head_.store(head, std::memory_order_release);
  return {};
}

Status append_definition(const StoreAccess& store, std::uint64_t version, NewEvent event,
                         const RequestOrigin& origin) {
  event.metadata = metadata_of(origin);
  AppendRequest request;
  request.origin = Origin::kSystem;
  request.streams.push_back({std::string(kDefinitionStream), ExpectedVersion::exactly(version), {}});
  request.streams.back().events.push_back(std::move(event));
  const auto appended = store.append(std::move(request));
  if (!appended) return appended.error();
  return {};
}

Error definitions_always_change() {
  return make_error(Errc::kOverloaded, "other clients keep changing the definitions; try again");
}

}  // namespace cairn

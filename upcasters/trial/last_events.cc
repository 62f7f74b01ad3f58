#include "upcasters/trial/last_events.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/work_budget.h"

namespace cairn {

namespace {

void add_all(TrialEvents& to, EventPage page) {
  if (to.events.empty()) {
    to.events = std::move(page);
    return;
  }
  for (const EventView& event : page) to.events.add(event);
}

}  // namespace

Result<TrialEvents> read_last_events(EventStore& store, const EventFilter& filter, std::size_t count,
                                     WorkBudget& budget) {
  TrialEvents found;
  LogQuery query{.from = {}, .direction = Direction::kBackward, .filter = filter, .budget = &budget};
  while (true) {
    query.limit = count - found.events.size();
    query.bytes_max = kTrialBytesMax - found.events.bytes();
    CAIRN_TRY(LogPage page, store.read_log(query));
    add_all(found, std::move(page.events));
    if (!page.next || found.events.size() >= count) break;
    if (found.events.bytes() >= kTrialBytesMax || budget.has_ended()) {
      found.complete = false;
      break;
    }
    query.from = page.next;
  }
  found.events.reverse();
  return found;
}

Result<TrialEvents> read_stream_events(EventStore& store, const std::string& stream, std::size_t count,
                                       WorkBudget& budget) {
  TrialEvents found;
  StreamQuery query;
  while (true) {
    query.limit = count - found.events.size();
    query.bytes_max = kTrialBytesMax - found.events.bytes();
    CAIRN_TRY(StreamPage page, store.read_stream(stream, query));
    add_all(found, std::move(page.events));
    if (!page.next) return found;
    if (found.events.size() >= count || found.events.bytes() >= kTrialBytesMax || !budget.charge()) {
      found.complete = false;
      return found;
    }
    query.from = page.next;
  }
}

}  // namespace cairn

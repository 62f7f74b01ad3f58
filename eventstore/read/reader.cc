#include "eventstore/read/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eventstore/index/stream_heads.h"
#include "eventstore/read/event_source.h"
#include "eventstore/read/pages.h"
#include "eventstore/read/posting_cursor.h"

namespace cairn {

Result<std::optional<StreamInfo>> Reader::stream_info(std::string_view stream) const {
  CAIRN_TRY(const auto head, find_stream(tail_, index_, stream));
  if (!head) return std::optional<StreamInfo>();
  return std::optional(stream_info_of(stream, *head));
}

Result<StreamPage> Reader::read_stream(std::string_view stream, const StreamQuery& query) const {
  CAIRN_CHECK(check_page_limit(query.limit));
  CAIRN_TRY(const auto head, find_stream(tail_, index_, stream));
  if (!head) return no_such_stream(stream);
  return read_stream_page(log_, stream, *head, query);
}

Result<LogPage> Reader::read_log(const LogQuery& query) const {
  CAIRN_CHECK(check_page_limit(query.limit));
  const GlobalPosition head = news_.head();
  if (query.filter.matches_all()) return read_log_page(log_, query, head);
  return read_filtered(query, head, page_start(query, head));
}

Result<LogPage> Reader::read_filtered(const LogQuery& query, GlobalPosition head, std::uint64_t from) const {
  LogPage page{.head = head, .events = {}, .next = {}};
  // The tail before the index: what is flushed in between is then in the index, and also in the snapshot.
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());
  CAIRN_TRY(const auto state, index.state());
  WorkBudget budget(WorkLimits{.steps = query.steps_max}, query.budget);
  FilterCursor cursor(index, state ? state->through : GlobalPosition{0}, tail_, snapshot, query.filter,
                      query.direction, budget);
  LogEvents events(log_);
  while (from >= 1 && from <= head.value) {
    CAIRN_TRY(const auto found, cursor.seek(from));
    if (!found || found->position > head.value) break;
    if (!found->matches || page.events.size() == query.limit || page.events.bytes() > query.bytes_max ||
        (budget.has_ended() && !page.events.empty())) {
      page.next = GlobalPosition{found->position};
      break;
    }
    CAIRN_TRY(const StoredEvent stored, events.at({found->position}));
    page.events.add(stored.event);
    from = query.direction == Direction::kForward ? found->position + 1 : found->position - 1;
  }
  page.steps = budget.steps();
  return page;
}

Result<GlobalPosition> Reader::scan(const ScanQuery& query, const EventVisitor& visitor) const {
  return scan_events(log_, query, news_.head(), visitor);
}

Result<StreamList> Reader::list_streams(const StreamListQuery& query) const {
  CAIRN_CHECK(check_page_limit(query.limit));
  // A category has the stream of the same name and those that continue it with '-'; both begin with its name.
  const std::string& category = query.category;
  std::string prefix = query.prefix;
  if (!category.empty()) {
    if (category.starts_with(prefix)) {
      prefix = category;
    } else if (!prefix.starts_with(category)) {
      return StreamList{};
    }
  }
  const std::size_t wanted = query.limit + 1;
  std::string from = query.after.empty() ? "" : query.after + '\0';  // the next name above `after`
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());

  std::vector<std::string> names;
  while (names.size() < wanted) {
    std::vector<std::string> created = tail_.created(snapshot, prefix, from, wanted);
    CAIRN_TRY(const std::vector<std::string> indexed, index.names(prefix, from, wanted));
    std::vector<std::string> merged;
    std::set_union(created.begin(), created.end(), indexed.begin(), indexed.end(),
                   std::back_inserter(merged));
    if (merged.empty()) break;
    // Beyond the last name of a list that is full, that list may have names before those of the other.
    if (merged.size() > wanted) merged.resize(wanted);
    from = merged.back() + '\0';
    for (std::string& name : merged) {
      if (names.size() < wanted && (category.empty() || category_of(name) == category))
        names.push_back(std::move(name));
    }
    if (merged.size() < wanted) break;
  }

  StreamList list;
  for (const std::string& name : names) {
    if (list.streams.size() == query.limit) {
      list.next = list.streams.back().stream;
      break;
    }
    CAIRN_TRY(auto info, stream_info(name));
    if (info) list.streams.push_back(*std::move(info));
  }
  return list;
}

}  // namespace cairn

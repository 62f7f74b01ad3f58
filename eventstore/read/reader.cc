#include "eventstore/read/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/limits.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/read/event_match.h"
#include "eventstore/read/event_source.h"
#include "eventstore/read/filtered_page.h"
#include "eventstore/read/pages.h"
#include "eventstore/read/posting_cursor.h"

namespace cairn {
namespace {

// To look at an event takes about as long as to look at so many positions.
constexpr std::uint64_t kEventSteps = 10;

TermKind kind_of(CountedTerm of) {
  switch (of) {
    case CountedTerm::kCategory:
      return TermKind::kCategory;
    case CountedTerm::kType:
      return TermKind::kType;
    case CountedTerm::kTag:
      break;
  }
  return TermKind::kTag;
}

// The tail is locked meanwhile.
constexpr std::uint64_t kTailStepsMax = 2'000;

Error in_the_way(const AppendCondition& condition, const EventView& event, GlobalPosition head) {
  std::string scratch;
  std::size_t item = 0;
  while (!selects(condition.items[item], event, scratch)) ++item;
  Error error = make_error(
      condition.failure,
      fmt::format("event {} of type '{}' in stream '{}' stands behind position {}, and item {} of the "
                  "condition selects it",
                  event.position.value, event.type, event.stream, condition.after.value, item));
  error.check = AppendCheck::kCondition;
  error.stream = event.stream;
  error.event_type = event.type;
  error.position = event.position.value;
  error.item = item;
  error.head = head.value;
  return error;
}

Error too_broad(const AppendCondition& condition, std::uint64_t verified) {
  Error error = make_error(
      Errc::kConditionTooBroad,
      fmt::format("deciding the condition takes more than {} steps: they led from position {} to {}",
                  limits::kConditionStepsMax, condition.after.value + 1, verified));
  error.limit = limits::kConditionStepsMax;
  return error;
}

}  // namespace

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
  if (selects_all(query)) return read_log_page(log_, query, head);
  EventQuery items{query.filter};
  items.insert(items.end(), query.or_any_of.begin(), query.or_any_of.end());
  const bool has_terms =
      std::all_of(items.begin(), items.end(), [](const EventFilter& item) { return item.has_terms(); });
  return has_terms ? read_filtered(query, items, head) : read_filtered_page(log_, query, head);
}

Result<LogPage> Reader::read_filtered(const LogQuery& query, const EventQuery& items,
                                      GlobalPosition head) const {
  const PageRange range(query, head);
  LogPage page{.head = head, .events = {}, .next = {}};
  // The tail before the index: what is flushed in between is then in the index, and also in the snapshot.
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());
  CAIRN_TRY(const auto state, index.state());
  WorkBudget budget(WorkLimits{.steps = query.steps_max}, query.budget);
  QueryCursor cursor(index, state ? state->through : GlobalPosition{0}, tail_, snapshot, items,
                     index_.digest_key(), query.direction, budget);
  LogEvents events(log_);
  bool looked_at = false;  // at an event: the page gets further than the one before
  for (std::uint64_t from = range.start(); range.contains(from);) {
    CAIRN_TRY(const auto found, cursor.seek(from));
    if (!found || !range.contains(found->position)) break;
    if (!found->matches || page.events.size() == query.limit || page.events.bytes() > query.bytes_max ||
        (budget.has_ended() && looked_at)) {
      page.next = GlobalPosition{found->position};
      break;
    }
    CAIRN_TRY(const StoredEvent stored, events.at({found->position}));
    from = range.after(found->position);
    looked_at = true;
    static_cast<void>(budget.charge(kEventSteps));
    if (cursor.item_of(stored.event)) page.events.add(stored.event);
  }
  page.steps = budget.steps();
  return page;
}

bool Reader::verify_in_memory(AppendCondition& condition) const {
  if (condition.items.empty()) return false;
  const GlobalPosition head = news_.head();
  const GlobalPosition known =
      std::max(condition.after, condition.verified_through.value_or(GlobalPosition{0}));
  condition.in_the_way.reset();
  const auto found = tail_.first_behind(condition.items, known, head, kTailStepsMax);
  if (!found.ok() || *found) return false;
  condition.verified_through = std::max(known, head);
  return true;
}

// In memory if the tail reaches back far enough, else in the index; a condition on all events walks over the log.
Status Reader::verify(AppendCondition& condition, WorkBudget* budget) const {
  if (condition.items.empty()) return {};  // append() refuses it
  const GlobalPosition head = news_.head();
  if (verify_in_memory(condition)) return {};
  const GlobalPosition known =
      std::max(condition.after, condition.verified_through.value_or(GlobalPosition{0}));
  // Finds the event in the way, with its stream and type.
  LogQuery query{.from = GlobalPosition{known.value + 1},
                 .limit = 1,
                 .filter = condition.items.front(),
                 .or_any_of = {condition.items.begin() + 1, condition.items.end()},
                 .until = head,
                 .steps_max = limits::kConditionStepsMax,
                 .budget = budget};
  for (std::uint64_t steps = 0;;) {
    CAIRN_TRY(const LogPage page, read_log(query));
    if (!page.events.empty()) {
      condition.in_the_way = in_the_way(condition, page.events.events().front(), head);
      return {};
    }
    if (!page.next) {
      condition.verified_through = head;
      return {};
    }
    const std::uint64_t verified = page.next->value - 1;
    if (budget != nullptr && budget->has_ended())
      return budget->error(fmt::format("the condition was verified up to position {}", verified));
    steps += page.steps;
    if (steps >= limits::kConditionStepsMax) return too_broad(condition, verified);
    query.from = page.next;
    query.steps_max = limits::kConditionStepsMax - steps;
  }
}

Result<GlobalPosition> Reader::scan(const ScanQuery& query, const EventVisitor& visitor) const {
  return scan_events(log_, query, news_.head(), visitor);
}

Result<GlobalPosition> Reader::first_recorded_at(Timestamp time) const {
  return cairn::first_recorded_at(log_, time, news_.head());
}

// The terms of the index and of the tail, each sorted; a list that was cut has nothing to say of terms behind
// its last one.
Result<CountList> Reader::count_terms(const CountQuery& query) const {
  CAIRN_CHECK(check_page_limit(query.limit));
  const TermKind kind = kind_of(query.of);
  const std::size_t wanted = query.limit + 1;
  const std::string from = query.after ? *query.after + '\0' : "";
  const GlobalPosition head = news_.head();
  const Tail::Snapshot snapshot = tail_.snapshot();
  CAIRN_TRY(const IndexReader index, index_.read());
  CAIRN_TRY(const auto state, index.state());
  const GlobalPosition through = state ? state->through : GlobalPosition{0};
  CountList list{.head = std::max(head, through), .terms = {}, .next = {}};
  CAIRN_TRY(IndexReader::Counts counts, index.counts(kind, query.prefix, from, wanted));
  const std::optional<std::string> last =
      counts.size() == wanted ? std::optional(counts.rbegin()->first) : std::nullopt;
  for (const auto& [term, events] : tail_.counts(snapshot, kind, query.prefix, from, through, list.head)) {
    if (!last || term <= *last) counts[term] += events;
  }
  for (const auto& [term, events] : counts) {
    if (list.terms.size() == query.limit) {
      list.next = list.terms.back().term;
      break;
    }
    list.terms.push_back({term, events});
  }
  return list;
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

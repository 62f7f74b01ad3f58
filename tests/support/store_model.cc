#include "tests/support/store_model.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace cairn::test {

namespace {

bool same_body(const Event& stored, const std::string& stream, const NewEvent& given) {
  return stored.stream == stream && stored.type == given.type && stored.data == given.data &&
         stored.metadata == given.metadata && stored.tags == given.tags;
}

bool holds(const std::vector<std::string>& any_of, std::string_view value) {
  return any_of.empty() || std::find(any_of.begin(), any_of.end(), value) != any_of.end();
}

}  // namespace

std::uint64_t StoreModel::version(const std::string& stream) const {
  auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.size();
}

// A request with a known id is a repeat or is refused; nil when all its ids are new.
std::optional<StoreModel::Answer> StoreModel::repeat_of(const AppendRequest& request) const {
  bool known = false, whole = true, exact_conflict = false;
  AppendResult first;
  first.already_applied = true;
  for (const StreamAppend& stream : request.streams) {
    StreamAppendResult numbers{stream.stream, {}, {}, {}, {}};
    if (stream.events.empty()) numbers.last_version.value = version(stream.stream);
    std::uint64_t previous = 0;
    for (const NewEvent& given : stream.events) {
      auto found = given.id ? ids_.find(*given.id) : ids_.end();
      if (found == ids_.end()) {
        whole = false;
        continue;
      }
      known = true;
      const Event& stored = log_[found->second - 1];
      if (!same_body(stored, stream.stream, given)) whole = false;
      if (previous != 0 && stored.version != previous + 1) whole = false;
      previous = stored.version;
      if (numbers.first_version.value == 0) {
        numbers.first_version.value = stored.version;
        numbers.first_position.value = stored.position;
        if (stream.expected.exact() && *stream.expected.exact() + 1 != stored.version) exact_conflict = true;
      }
      numbers.last_version.value = stored.version;
      numbers.last_position.value = stored.position;
    }
    if (!stream.expected.accepts({version(stream.stream)})) exact_conflict |= !whole;
    first.streams.push_back(numbers);
  }
  if (!known) return std::nullopt;
  if (whole && !exact_conflict) return Answer{first, {}, {}, {}};
  if (exact_conflict || conflict(request))
    return Answer{{}, {Errc::kEventIdReused, Errc::kVersionConflict}, {}, {}};
  return Answer{{}, {Errc::kEventIdReused}, {}, {}};
}

std::optional<StoreModel::Answer> StoreModel::conflict(const AppendRequest& request) const {
  std::optional<Answer> answer;
  for (const StreamAppend& stream : request.streams) {
    if (stream.expected.accepts({version(stream.stream)})) continue;
    if (answer) return Answer{{}, {Errc::kVersionConflict}, {}, {}};
    answer = Answer{{}, {Errc::kVersionConflict}, stream.stream, version(stream.stream)};
  }
  return answer;
}

StoreModel::Answer StoreModel::append(const AppendRequest& request, Timestamp now) {
  if (auto repeat = repeat_of(request)) return *repeat;
  if (auto stale = conflict(request)) return *stale;
  AppendResult result;
  for (const StreamAppend& stream : request.streams) {
    StreamAppendResult numbers{stream.stream, {}, {}, {}, {}};
    for (const NewEvent& given : stream.events) {
      std::vector<std::uint64_t>& positions = streams_[stream.stream];
      positions.push_back(log_.size() + 1);
      log_.push_back(Event{log_.size() + 1, positions.size(), stream.stream, given.type,
                           given.id.value_or(Uuid{}), given.schema.value, now.micros, given.data,
                           given.metadata, given.tags});
      if (given.id) ids_[*given.id] = log_.size();
      if (numbers.first_version.value == 0) {
        numbers.first_version.value = positions.size();
        numbers.first_position.value = log_.size();
      }
      numbers.last_position.value = log_.size();
    }
    numbers.last_version.value = version(stream.stream);
    result.streams.push_back(numbers);
  }
  return Answer{result, {}, {}, {}};
}

std::vector<Event> StoreModel::stream(const std::string& name) const {
  std::vector<Event> events;
  auto found = streams_.find(name);
  if (found == streams_.end()) return events;
  for (std::uint64_t position : found->second) events.push_back(log_[position - 1]);
  return events;
}

std::vector<Event> StoreModel::filtered(const EventFilter& filter) const {
  std::vector<Event> events;
  for (const Event& event : log_) {
    if (holds(filter.categories, category_of(event.stream)) && holds(filter.types, event.type))
      events.push_back(event);
  }
  return events;
}

std::vector<StreamInfo> StoreModel::list(const StreamListQuery& query) const {
  std::vector<StreamInfo> infos;
  for (const auto& [name, positions] : streams_) {
    if (!query.category.empty() && category_of(name) != query.category) continue;
    if (!name.starts_with(query.prefix) || name <= query.after) continue;
    infos.push_back({name,
                     {positions.size()},
                     {positions.front()},
                     {positions.back()},
                     {log_[positions.front() - 1].recorded_at},
                     {log_[positions.back() - 1].recorded_at}});
  }
  return infos;
}

}  // namespace cairn::test

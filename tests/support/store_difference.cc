// The comparisons of store_model.h.

#include <algorithm>
#include <sstream>

#include "tests/support/reading.h"
#include "tests/support/store_model.h"

namespace cairn::test {

namespace {

// What is left of `events` (in rising order) when reading starts at `from` in `direction`.
template <typename Number>
std::vector<Event> part(std::vector<Event> events, std::optional<std::uint64_t> from, Direction direction,
                        Number number) {
  if (direction == Direction::kBackward) std::reverse(events.begin(), events.end());
  if (from) {
    std::erase_if(events, [&](const Event& event) {
      return direction == Direction::kForward ? number(event) < *from : number(event) > *from;
    });
  }
  return events;
}

std::string difference(const std::string& what, const Result<std::vector<Event>>& found,
                       const std::vector<Event>& expected) {
  std::ostringstream out;
  if (!found.ok()) {
    out << what << ": " << to_string(found.error().code) << ": " << found.error().message;
  } else if (*found != expected) {
    out << what << ": " << found->size() << " events instead of " << expected.size();
    for (std::size_t i = 0; i < std::max(found->size(), expected.size()); ++i) {
      if (i < found->size() && i < expected.size() && (*found)[i] == expected[i]) continue;
      out << "; the first that differs is number " << i;
      if (i < found->size()) out << ", found " << (*found)[i];
      if (i < expected.size()) out << ", expected " << expected[i];
      break;
    }
  }
  return out.str();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += name + ",";
  return text + "}";
}

std::string describe(const StreamInfo& info) {
  std::ostringstream out;
  out << info.stream << " version " << info.version.value << " positions " << info.first_position.value << "-"
      << info.last_position.value << " times " << info.created_at.micros << "-" << info.updated_at.micros;
  return out.str();
}

std::string describe(Direction direction) {
  return direction == Direction::kForward ? "forward" : "backward";
}

std::string describe(std::optional<std::uint64_t> from) { return from ? std::to_string(*from) : "the end"; }

}  // namespace

std::string difference_in_log(EventStore& store, const StoreModel& model, const LogQuery& query) {
  auto from = query.from ? std::optional(query.from->value) : std::nullopt;
  auto expected = part(model.filtered(query.filter), from, query.direction,
                       [](const Event& event) { return event.position; });
  return difference("log " + describe(query.direction) + " from " + describe(from) + " by " +
                        std::to_string(query.limit) + " categories " + joined(query.filter.categories) +
                        " types " + joined(query.filter.types),
                    read_all(store, query), expected);
}

std::string difference_in_stream(EventStore& store, const StoreModel& model, const std::string& stream,
                                 const StreamQuery& query) {
  auto from = query.from ? std::optional(query.from->value) : std::nullopt;
  auto found = read_whole_stream(store, stream, query);
  if (model.version(stream) == 0) {
    return !found.ok() && found.error().code == Errc::kNotFound ? ""
                                                                : "stream " + stream + " should not be found";
  }
  auto expected =
      part(model.stream(stream), from, query.direction, [](const Event& event) { return event.version; });
  return difference("stream " + stream + " " + describe(query.direction) + " from " + describe(from) +
                        " by " + std::to_string(query.limit),
                    found, expected);
}

std::string difference_in_list(EventStore& store, const StoreModel& model, const StreamListQuery& query) {
  auto found = list_all(store, query);
  if (!found.ok()) return "list: " + found.error().message;
  auto expected = model.list(query);
  std::string what = "list category '" + query.category + "' prefix '" + query.prefix + "' after '" +
                     query.after + "' by " + std::to_string(query.limit);
  for (std::size_t i = 0; i < std::max(found->size(), expected.size()); ++i) {
    std::string found_here = i < found->size() ? describe((*found)[i]) : "nothing";
    std::string expected_here = i < expected.size() ? describe(expected[i]) : "nothing";
    if (found_here != expected_here) return what + ": found " + found_here + ", expected " + expected_here;
  }
  return "";
}

std::string difference_in_info(EventStore& store, const StoreModel& model, const std::string& stream) {
  auto found = store.stream_info(stream);
  if (!found.ok()) return "info of " + stream + ": " + found.error().message;
  auto expected = model.list({.category = "", .prefix = stream, .after = ""});
  std::string expected_here =
      expected.empty() || expected[0].stream != stream ? "nothing" : describe(expected[0]);
  std::string found_here = *found ? describe(**found) : "nothing";
  return found_here == expected_here ? "" : "info: found " + found_here + ", expected " + expected_here;
}

}  // namespace cairn::test

#include "tests/support/history.h"

#include <algorithm>
#include <limits>
#include <map>

namespace cairn::test {

namespace {

// One state of the stream: reached by an append, seen by observers.
struct State {
  std::int64_t call = std::numeric_limits<std::int64_t>::min();
  std::int64_t ret = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_observer_call = std::numeric_limits<std::int64_t>::min();
};

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::optional<std::string> find_violation(History history) {
  std::sort(history.appends.begin(), history.appends.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<std::uint64_t, State> states;
  states[0] = {};
  std::uint64_t version = 0;
  for (const History::Append& append : history.appends) {
    if (append.first != version + 1 || append.last < append.first) {
      return "an append has versions " + number(append.first) + " to " + number(append.last) +
             " after version " + number(version);
    }
    if (append.expected && *append.expected != version) {
      return "an append that expected version " + number(*append.expected) + " comes after version " +
             number(version);
    }
    version = append.last;
    states[version] = {append.call, append.ret.value_or(std::numeric_limits<std::int64_t>::max())};
  }
  for (const History::Observation& seen : history.observations) {
    auto state = states.find(seen.version);
    if (state == states.end())
      return "version " + number(seen.version) + " was seen, which is inside a batch or never was";
    if (seen.conflicts_with == seen.version)
      return "a conflict reports the expected version " + number(seen.version);
    state->second.last_observer_call = std::max(state->second.last_observer_call, seen.call);
  }

  std::map<std::uint64_t, std::int64_t> reached;
  std::int64_t time = std::numeric_limits<std::int64_t>::min();
  std::int64_t observers_before = std::numeric_limits<std::int64_t>::min();
  for (const auto& [reached_version, state] : states) {
    time = std::max({time, state.call, observers_before});
    if (time > state.ret)
      return "the append of version " + number(reached_version) + " returned before it can have taken effect";
    reached[reached_version] = time;
    observers_before = state.last_observer_call;
  }
  for (const History::Observation& seen : history.observations) {
    if (std::max(seen.call, reached[seen.version]) > seen.ret) {
      return "version " + number(seen.version) + " was seen before it can have been there";
    }
  }
  return std::nullopt;
}

}  // namespace cairn::test

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cairn::test {

// The calls of all clients of one stream and what they returned, with the times of call and return on one
// monotonic clock. Also used for the whole log, with positions instead of versions.
struct History {
  // An append that is in the log, as versions first…last.
  struct Append {
    std::int64_t call = 0;
    std::optional<std::int64_t> ret;  // nullopt: the client never got an answer
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::optional<std::uint64_t> expected;  // the exact version asked for
  };
  // A read, or a conflict, that reported `version` as the current one.
  struct Observation {
    std::int64_t call = 0;
    std::int64_t ret = 0;
    std::uint64_t version = 0;
    std::optional<std::uint64_t> conflicts_with;  // for a conflict: the version that was expected
  };
  std::vector<Append> appends;
  std::vector<Observation> observations;
};

// Checks linearizability: whether one order of all operations explains the history, each taking effect
// between its call and its return. nullopt if so, else the contradiction. The log has the order of the
// appends, so nothing has to be searched:
//   t_i = max(t_(i-1), call_i, calls of all that saw the state before i)   must not be after ret_i;
//   an operation that saw state i must have returned after both its own call and t_i.
std::optional<std::string> find_violation(History history);

}  // namespace cairn::test

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projections/readmodel/read_model.h"

namespace cairn {

// What was parked since this was last asked for.
struct NewlyParked {
  ParkedPlace place;  // the last one
  ParkedEvent event;
  std::uint64_t count = 0;  // places
};

// The parked keys and streams of a generation, and what has changed of them since the last commit. An event
// that fails is parked (dead-lettered in order): later events of its key, or of its stream when the key is
// not known, wait behind it. Not thread-safe.
class ParkedSet {
 public:
  // What a commit writes for one place.
  struct Pending {
    std::optional<ParkedEvent> event;  // nullopt: the place was parked by an earlier commit
    std::vector<GlobalPosition> waiting;
  };

  // Replaces everything by what the read model has committed.
  Status load(ReadModel& model);

  std::uint64_t size() const { return keys_.size() + streams_.size(); }
  std::vector<ParkedPlace> places() const;
  bool contains(const ParkedPlace& place) const;
  bool contains_key(std::string_view key) const { return !keys_.empty() && keys_.contains(std::string(key)); }
  bool contains_stream(std::string_view stream) const {
    return !streams_.empty() && streams_.contains(stream);
  }
  // Whether an event waits because its stream is parked at it, or before it.
  bool waits_with_stream(const EventView& event) const;

  // Parks an event that failed.
  void park(const ParkedPlace& place, ParkedEvent event);
  // A parked place goes on waiting at a later event, which has not failed: those before it are applied.
  void go_on_at(const ParkedPlace& place, ParkedEvent event);
  // Lets an event wait behind the one that failed. Positions rise; a repeated one counts once.
  void add_waiting(const ParkedPlace& place, GlobalPosition position);
  // Ends the parking of a place; its events are applied by the caller.
  void release(const ParkedPlace& place);

  // What was parked at a place since the last commit; nullptr when nothing was. Lives until the next change.
  Pending* pending(const ParkedPlace& place);

  // The positions of the events that were parked since the last commit, one for each place, in any order.
  std::vector<GlobalPosition> parked_since_commit() const;

  bool has_changes() const { return !pending_.empty() || !released_.empty(); }
  // Adds the changes to a commit. What it points to lives until committed().
  void add_to(ReadModelChange& change) const;
  void committed();

  // What was parked since this was last called; nullopt: nothing.
  std::optional<NewlyParked> take_news() { return std::exchange(news_, std::nullopt); }

 private:
  std::unordered_set<std::string> keys_;
  std::map<std::string, GlobalPosition, std::less<>> streams_;  // with the position that failed first
  std::map<ParkedPlace, Pending> pending_;                      // since the last commit
  std::set<ParkedPlace> released_;                              // since the last commit
  std::optional<NewlyParked> news_;
};

}  // namespace cairn

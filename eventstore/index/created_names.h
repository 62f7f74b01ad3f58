#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// The names of streams that begin in a generation. The writer only notes them, for keeping them in order
// would cost it more than anything else about a new stream; whoever lists streams brings those in order that
// were noted since the last time. Any thread.
class CreatedNames {
 public:
  // Notes the names of one block: all of them are listed or none. What they refer to must outlive this.
  void add(std::span<const std::string_view> names);

  // Appends to `out` the first `limit` names, or more, that begin with `prefix`, from `from` on; in any
  // order.
  void list(std::string_view prefix, std::string_view from, std::size_t limit,
            std::vector<std::string>& out) const;

 private:
  using Names = std::vector<std::string_view>;
  void bring_into_order() const;

  mutable std::mutex noted_mutex_;
  mutable std::deque<std::string_view> noted_;  // does not move when it grows, for the writer's sake
  // Taken before the other one, and held while sorting: the writer never takes it.
  mutable std::mutex runs_mutex_;
  mutable std::vector<Names> runs_;  // each in order, and more than twice as long as the next
};

}  // namespace cairn

#include "projections/daemon/batch_source.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

namespace {

// Empty means all.
std::vector<std::string> union_of(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return {};
  std::vector<std::string> both = a;
  for (const std::string& name : b) {
    if (std::find(both.begin(), both.end(), name) == both.end()) both.push_back(name);
  }
  return both;
}

bool covers(const std::vector<std::string>& wide, const std::vector<std::string>& narrow) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::all_of(narrow.begin(), narrow.end(), [&](const std::string& name) {
    return std::find(wide.begin(), wide.end(), name) != wide.end();
  });
}

}  // namespace

EventFilter union_of(const EventFilter& a, const EventFilter& b) {
  return {union_of(a.categories, b.categories), union_of(a.types, b.types)};
}

bool covers(const EventFilter& wide, const EventFilter& narrow) {
  return covers(wide.categories, narrow.categories) && covers(wide.types, narrow.types);
}

BatchSource::Seat::Seat(BatchSource& source) : source_(source) {
  const std::lock_guard lock(source_.mutex_);
  number_ = ++source_.last_seat_;
}

BatchSource::Seat::~Seat() {
  const std::lock_guard lock(source_.mutex_);
  source_.seats_.erase(number_);
}

Result<std::shared_ptr<const EventBatch>> BatchSource::Seat::read(GlobalPosition after,
                                                                  const EventFilter& filter) {
  return source_.read_shared(number_, after, filter);
}

Result<std::shared_ptr<const EventBatch>> BatchSource::read_alone(GlobalPosition after, GlobalPosition to,
                                                                  const EventFilter& filter) {
  const std::uint64_t last = after.value + limits_.positions_max;
  BatchQuery query{
      .after = after, .to = {std::min(to.value, last)}, .filter = filter, .bytes_max = limits_.bytes_max};
  if (!catch_up_) return EventBatch::read(store_, shapes_.shapers(), query);

  // An event comes behind the schema it was written with, and behind every upcaster that its writer may know
  // of. So the end is fixed first: what the log holds up to there is known before the first event is looked
  // at. Asked before the end is fixed, an upcaster and an event behind it could arrive in between, and the
  // event would be taken in an older shape.
  query.to = std::min(query.to, store_.head());
  CAIRN_CHECK(catch_up_());
  CAIRN_TRY(auto batch, EventBatch::read(store_, shapes_.shapers(), query));
  CAIRN_CHECK(catch_up_());  // What arrived meanwhile was used if it could be; if not, the batch is in doubt.
  return batch;
}

std::uint64_t BatchSource::batches_read() const {
  const std::lock_guard lock(mutex_);
  return batches_read_;
}

BatchSource::Outcome BatchSource::read_shared(std::uint64_t seat, GlobalPosition after,
                                              const EventFilter& filter) {
  std::promise<Outcome> promise;
  std::shared_future<Outcome> found;
  EventFilter wanted = filter;
  {
    const std::lock_guard lock(mutex_);
    seats_[seat] = {after, filter};
    const std::uint64_t now = shapes_.chains().changes();
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
      return one.after == after && one.shapes == now && covers(one.filter, filter);
    });
    if (known != known_.end()) {
      found = known->batch;
    } else {
      for (const auto& [number, place] : seats_) {
        if (place.after == after) wanted = union_of(wanted, place.filter);
      }
      known_.push_front({after, wanted, now, promise.get_future().share()});
      if (known_.size() > kKept) known_.pop_back();
      ++batches_read_;
    }
  }
  if (found.valid()) return found.get();
  Outcome outcome = read_alone(after, {std::numeric_limits<std::uint64_t>::max()}, wanted);
  // Whoever asks for what ended at the head, or failed, should look again.
  if (!outcome || (*outcome)->to() == after) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const Known& one) { return one.after == after; });
  }
  promise.set_value(outcome);
  return outcome;
}

}  // namespace cairn

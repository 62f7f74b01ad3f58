#include "projections/generation/batch_source.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
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

std::function<void()> BatchSource::Seat::read_ahead(GlobalPosition after, const EventFilter& filter) {
  return [&source = source_, seat = number_, after, filter] { source.read_ahead(seat, after, filter); };
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

const BatchSource::Known* BatchSource::find(GlobalPosition after, const EventFilter& filter) const {
  const std::uint64_t now = shapes_.chains().changes();
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
    return one.after == after && one.shapes == now && covers(one.filter, filter);
  });
  return found == known_.end() ? nullptr : &*found;
}

// Whether the one it was read ahead for has yet to come.
bool BatchSource::is_awaited(const Known& known) const {
  const auto seat = seats_.find(known.ahead_for);
  return seat != seats_.end() && seat->second.after < known.after &&
         batches_read_ - known.number <= kAheadAgeMax;
}

BatchSource::Reading BatchSource::begin(GlobalPosition after, EventFilter filter, std::uint64_t ahead_for) {
  for (const auto& [number, place] : seats_) {
    if (place.after == after) filter = union_of(filter, place.filter);
  }
  Reading reading{after, std::move(filter), {}};
  known_.push_front({after, reading.filter, shapes_.chains().changes(), ++batches_read_, ahead_for,
                     reading.promise.get_future().share()});
  std::size_t kept = 0;
  known_.remove_if([&](const Known& one) { return !is_awaited(one) && ++kept > kKept; });
  return reading;
}

BatchSource::Outcome BatchSource::finish(Reading reading) {
  const auto forget = [&] {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [&](const Known& one) { return one.after == reading.after; });
  };
  try {
    Outcome outcome = read_alone(reading.after, {std::numeric_limits<std::uint64_t>::max()}, reading.filter);
    // Whoever asks for what ended at the head, or failed, should look again.
    if (!outcome || (*outcome)->to() == reading.after) forget();
    reading.promise.set_value(outcome);
    return outcome;
  } catch (...) {  // There was no memory for it, and who waits has to know.
    forget();
    reading.promise.set_exception(std::current_exception());
    throw;
  }
}

BatchSource::Outcome BatchSource::read_shared(std::uint64_t seat, GlobalPosition after,
                                              const EventFilter& filter) {
  std::optional<Reading> reading;
  std::shared_future<Outcome> found;
  {
    const std::lock_guard lock(mutex_);
    seats_[seat] = {after, filter};
    if (const Known* const known = find(after, filter)) {
      found = known->batch;
    } else {
      reading = begin(after, filter, 0);
    }
  }
  return reading ? finish(*std::move(reading)) : found.get();
}

void BatchSource::read_ahead(std::uint64_t seat, GlobalPosition after, const EventFilter& filter) {
  std::optional<Reading> reading;
  {
    const std::lock_guard lock(mutex_);
    const auto place = seats_.find(seat);
    if (place == seats_.end() || place->second.after >= after || find(after, filter) != nullptr) return;
    const auto ahead =
        std::count_if(known_.begin(), known_.end(), [&](const Known& one) { return is_awaited(one); });
    if (static_cast<std::size_t>(ahead) >= kAheadMax) return;
    reading = begin(after, filter, seat);
  }
  try {
    static_cast<void>(finish(*std::move(reading)));  // It is known now.
  } catch (const std::exception&) {                  // Whoever comes for it reads it himself.
  }
}

}  // namespace cairn

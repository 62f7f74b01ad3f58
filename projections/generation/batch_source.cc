#include "projections/generation/batch_source.h"

#include <algorithm>
#include <exception>
#include <iterator>
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

BatchSource::Reader::Reader(BatchSource& source) : source_(source) {
  const MutexLock lock(source_.mutex_);
  number_ = ++source_.last_reader_;
}

std::function<void()> BatchSource::Reader::read_ahead(GlobalPosition after, const EventFilter& filter) {
  return [&source = source_, reader = number_, after, filter] { source.read_ahead(reader, after, filter); };
}

BatchSource::Reader::~Reader() {
  const MutexLock lock(source_.mutex_);
  source_.readers_.erase(number_);
}

Result<std::shared_ptr<const EventBatch>> BatchSource::Reader::read(GlobalPosition after,
                                                                    const EventFilter& filter) {
  return source_.read_shared(number_, after, filter);
}

Result<std::shared_ptr<const EventBatch>> BatchSource::read_alone(GlobalPosition after, GlobalPosition to,
                                                                  const EventFilter& filter) {
  const std::uint64_t last = after.value + limits_.positions_max;
  BatchQuery query{
      .after = after, .to = {std::min(to.value, last)}, .filter = filter, .bytes_max = limits_.bytes_max};
  if (!catch_up_) return EventBatch::read(log_, shapes_.shapers(), query);

  // In the log an event follows the schema it was written with, and every upcaster that its writer could
  // know. So the end of the batch is fixed first, and then schemas and upcasters up to there are loaded. In
  // the other order an upcaster and an event after it could arrive in between, and the event would be read in
  // an older shape.
  query.to = std::min(query.to, log_.head());
  CAIRN_CHECK(catch_up_());
  CAIRN_TRY(auto batch, EventBatch::read(log_, shapes_.shapers(), query));
  // Shapes that arrived meanwhile may have been used already, so they have to be valid too.
  CAIRN_CHECK(catch_up_());
  return batch;
}

void BatchSource::drop_kept() {
  std::list<Known> dropped;
  const MutexLock lock(mutex_);
  for (auto one = known_.begin(); one != known_.end();) {
    const auto next = std::next(one);
    if (!is_awaited(*one)) dropped.splice(dropped.end(), known_, one);
    one = next;
  }
}

std::uint64_t BatchSource::batches_read() const {
  const MutexLock lock(mutex_);
  return batches_read_;
}

const BatchSource::Known* BatchSource::find(GlobalPosition after, const EventFilter& filter) const {
  const std::uint64_t now = shapes_.chains().changes();
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
    return one.after == after && one.shapes == now && covers(one.filter, filter);
  });
  return found == known_.end() ? nullptr : &*found;
}

// Whether the reader it was read ahead for has not asked for it yet.
bool BatchSource::is_awaited(const Known& known) const {
  const auto reader = readers_.find(known.ahead_for);
  return reader != readers_.end() && reader->second.after < known.after &&
         batches_read_ - known.number <= kAheadAgeMax;
}

BatchSource::Reading BatchSource::begin(GlobalPosition after, EventFilter filter, std::uint64_t ahead_for) {
  for (const auto& [number, demand] : readers_) {
    if (demand.after == after) filter = union_of(filter, demand.filter);
  }
  Reading reading{after, std::move(filter), {}};
  known_.push_front({after, reading.filter, shapes_.chains().changes(), ++batches_read_, ahead_for,
                     reading.promise.get_future().share()});
  std::size_t kept = 0;
  known_.remove_if([&](const Known& one)
                       CAIRN_REQUIRES(mutex_) { return !is_awaited(one) && ++kept > kKept; });
  return reading;
}

BatchSource::Outcome BatchSource::finish(Reading reading) {
  const auto forget = [&] {
    const MutexLock lock(mutex_);
    std::erase_if(known_, [&](const Known& one) { return one.after == reading.after; });
  };
  try {
    Outcome outcome = read_alone(reading.after, {std::numeric_limits<std::uint64_t>::max()}, reading.filter);
    // An empty batch at the head, and a failure, are not kept: the next read() tries again.
    if (!outcome || (*outcome)->to() == reading.after) forget();
    reading.promise.set_value(outcome);
    return outcome;
  } catch (...) {  // Out of memory: the readers that wait for the promise get the exception too.
    forget();
    reading.promise.set_exception(std::current_exception());
    throw;
  }
}

BatchSource::Outcome BatchSource::read_shared(std::uint64_t reader, GlobalPosition after,
                                              const EventFilter& filter) {
  std::optional<Reading> reading;
  std::shared_future<Outcome> found;
  {
    const MutexLock lock(mutex_);
    readers_[reader] = {after, filter};
    if (const Known* const known = find(after, filter)) {
      found = known->batch;
    } else {
      reading = begin(after, filter, 0);
    }
  }
  return reading ? finish(*std::move(reading)) : found.get();
}

void BatchSource::read_ahead(std::uint64_t reader, GlobalPosition after, const EventFilter& filter) {
  std::optional<Reading> reading;
  {
    const MutexLock lock(mutex_);
    const auto demand = readers_.find(reader);
    if (demand == readers_.end() || demand->second.after >= after || find(after, filter) != nullptr) return;
    const auto ahead =
        std::count_if(known_.begin(), known_.end(),
                      [&](const Known& one) CAIRN_REQUIRES(mutex_) { return is_awaited(one); });
    if (static_cast<std::size_t>(ahead) >= kAheadMax) return;
    reading = begin(after, filter, reader);
  }
  try {
    static_cast<void>(finish(*std::move(reading)));  // Kept in known_.
  } catch (const std::exception&) {                  // The reader reads the batch itself then.
  }
}

}  // namespace cairn

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/event_store.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/upcaster.h"

namespace cairn {

// The upcasters of one event store, folded from the events of $definitions. Any thread.
class Upcasters {
 public:
  using BySource =
      std::map<std::uint32_t, std::shared_ptr<const Upcaster>>;  // by the version they start from

  // An upcaster whose definition came to stand behind events that it was not tried on.
  struct Unsettled {
    std::shared_ptr<const Upcaster> upcaster;
    GlobalPosition verified_through;
  };

  // Knows nothing until catch_up(). REQUIRES: `store` outlives it.
  explicit Upcasters(EventStore& store) : store_(store) {}

  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  BySource of_type(std::string_view type) const;
  std::vector<std::shared_ptr<const Upcaster>> all() const;  // by type and version

  // How many there were for a step, with those that were replaced or withdrawn.
  std::uint32_t revisions(const std::string& type, std::uint32_t from) const;

  // What was appended is taken notice of only here. An upcaster that stands in the stream is on from then on,
  // unless it is named as unsettled: those are held back until settle(). Fails with kFailedPrecondition when
  // a newer program has written there, kCorruption when an event cannot be read.
  Result<std::vector<Unsettled>> catch_up();

  // It held on those events too, and is on from now on. One that did not is withdrawn by an event in the
  // stream.
  void settle(const Unsettled& unsettled) { turn_on(unsettled.upcaster); }

  // The version of $definitions that was read last.
  std::uint64_t stream_version() const;

 private:
  Status apply(const EventView& stored, std::vector<Unsettled>& unsettled);
  void turn_on(std::shared_ptr<const Upcaster> upcaster);
  void withdraw(const UpcasterWithdrawn& event, std::vector<Unsettled>& unsettled);

  using Step = std::pair<std::string, std::uint32_t>;

  EventStore& store_;
  std::mutex catch_up_mutex_;
  mutable std::shared_mutex mutex_;
  std::uint64_t stream_version_ = 0;
  std::map<Step, std::vector<std::shared_ptr<const Upcaster>>>
      steps_;  // the last one is on; those before were
  std::map<Step, std::uint32_t> revisions_;
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/event_store.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The upcasters of one event store, folded from the events of $definitions. Any thread.
class Upcasters {
 public:
  using BySource =
      std::map<std::uint32_t, std::shared_ptr<const Upcaster>>;  // by the version they start from

  // An upcaster whose definition came to stand behind events that it was not tried on. It is held back until
  // it is settled, or withdrawn by another event of the stream.
  struct Unsettled {
    std::shared_ptr<const Upcaster> upcaster;
    GlobalPosition verified_through;
    bool with_schema = false;  // the version it leads to was registered with it
  };

  // Knows nothing until catch_up(). REQUIRES: `store` outlives it.
  explicit Upcasters(EventStore& store) : follower_(store) {}

  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  BySource of_type(std::string_view type) const;
  std::vector<std::shared_ptr<const Upcaster>> all() const;  // by type and version

  // How many there were for a step, with those that were replaced or withdrawn.
  std::uint32_t revisions(const std::string& type, std::uint32_t from) const;

  // Takes notice of what was appended to the stream. Fails with kFailedPrecondition when a newer program has
  // written there, kCorruption when an event cannot be read.
  Status catch_up();

  std::vector<Unsettled> unsettled() const;

  // It held on those events too, and is on from now on.
  void settle(const Upcaster& upcaster);

  // Makes an upcaster be on before its definition is there, until it is settled, withdrawn or disarmed: one
  // that comes with a schema must not be missing when the schema is there. Without its schema it has no
  // effect.
  void arm(std::shared_ptr<const Upcaster> upcaster);
  void disarm(const Upcaster& upcaster);

  // The version of $definitions that was read last.
  std::uint64_t stream_version() const { return follower_.version(); }

 private:
  using Step = std::pair<std::string, std::uint32_t>;
  static Step step_of(const Upcaster& upcaster) { return {upcaster.header.type, upcaster.header.from}; }

  Status apply(const EventView& stored);
  void withdraw(const UpcasterWithdrawn& event);
  bool is_unsettled(const Upcaster& upcaster) const;

  // The one that is on, or nullptr.
  std::shared_ptr<const Upcaster> current(const Step& step) const;

  DefinitionFollower follower_;
  mutable std::shared_mutex mutex_;
  std::map<Step, std::vector<std::shared_ptr<const Upcaster>>> steps_;  // in order, without those withdrawn
  std::vector<Unsettled> unsettled_;
  std::map<Step, std::shared_ptr<const Upcaster>> armed_;
  std::map<Step, std::uint32_t> revisions_;
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn

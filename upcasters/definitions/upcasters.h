#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The upcasters of one event store, folded from the events of $definitions. Thread-safe.
class Upcasters {
 public:
  // By the version they start from.
  using BySource = std::map<std::uint32_t, std::shared_ptr<const Upcaster>>;

  // An upcaster whose definition stands behind events that it was not verified on. It is inactive until it is
  // settled, or withdrawn by another event of the stream.
  struct Unsettled {
    std::shared_ptr<const Upcaster> upcaster;
    GlobalPosition verified_through;
    bool with_schema = false;  // its target version was registered with it
  };

  // Empty until catch_up(). REQUIRES: `log` outlives it.
  explicit Upcasters(LogReader& log) : follower_(log) {}

  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  BySource of_type(std::string_view type) const;
  std::vector<std::shared_ptr<const Upcaster>> all() const;  // by type and version

  // How many upcasters a step has had, including those replaced or withdrawn.
  std::uint32_t revisions(const std::string& type, std::uint32_t from) const;

  // Applies the events appended to the stream. Fails with kFailedPrecondition when a newer program has
  // written to it, kCorruption when an event cannot be read.
  Status catch_up();

  std::vector<Unsettled> unsettled() const;

  // The upcaster was verified on the remaining events too: it becomes active.
  void settle(const Upcaster& upcaster);

  // Makes an upcaster active before its definition is appended, until it is settled, withdrawn or disarmed: a
  // reader that sees a schema registered together with an upcaster must find the upcaster too. Without its
  // schema it has no effect.
  void arm(std::shared_ptr<const Upcaster> upcaster);
  void disarm(const Upcaster& upcaster);

  // The version of $definitions that was applied last.
  std::uint64_t stream_version() const { return follower_.version(); }

 private:
  using Step = std::pair<std::string, std::uint32_t>;
  static Step step_of(const Upcaster& upcaster) { return {upcaster.header.type, upcaster.header.from}; }

  Status apply(const EventView& stored);
  void withdraw(const UpcasterWithdrawn& event) CAIRN_REQUIRES(mutex_);
  bool is_unsettled(const Upcaster& upcaster) const CAIRN_REQUIRES_SHARED(mutex_);

  // The active upcaster of a step, or nullptr.
  std::shared_ptr<const Upcaster> current(const Step& step) const CAIRN_REQUIRES_SHARED(mutex_);

  // Adds the active upcasters of those steps in `steps` that belong to the type.
  template <typename Steps>
  void add_current(const Steps& steps, std::string_view type, BySource& to) const
      CAIRN_REQUIRES_SHARED(mutex_);

  DefinitionFollower follower_;
  mutable SharedMutex mutex_;
  // In the order of their definitions, without those withdrawn.
  std::map<Step, std::vector<std::shared_ptr<const Upcaster>>> steps_ CAIRN_GUARDED_BY(mutex_);
  std::vector<Unsettled> unsettled_ CAIRN_GUARDED_BY(mutex_);
  std::map<Step, std::shared_ptr<const Upcaster>> armed_ CAIRN_GUARDED_BY(mutex_);
  std::map<Step, std::uint32_t> revisions_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn

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
#include "schemaregistry/registry/decide_register.h"
#include "upcasters/definitions/definition_follower.h"
#include "upcasters/definitions/upcaster_event.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The upcasters of one event store, folded from the events of $definitions. Thread-safe.
class Upcasters {
 public:
  // By the version they start from.
  using BySource = std::map<std::uint32_t, std::shared_ptr<const Upcaster>>;

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

  // Those that came with their schema and were withdrawn, by version 0.1, which then deleted that schema's
  // version, although events may be stored with it.
  std::vector<std::shared_ptr<const Upcaster>> withdrawn_with_schema() const;

  // The versions of a type that these led to: registered again, they get back their numbers and ids.
  std::vector<LostVersion> lost_versions(std::string_view type) const;

  // The version of $definitions that was applied last.
  std::uint64_t stream_version() const { return follower_.version(); }

 private:
  using Step = std::pair<std::string, std::uint32_t>;
  static Step step_of(const Upcaster& upcaster) { return {upcaster.header.type, upcaster.header.from}; }

  Status apply(const EventView& stored);
  void withdraw(const UpcasterWithdrawn& event) CAIRN_REQUIRES(mutex_);

  DefinitionFollower follower_;
  mutable SharedMutex mutex_;
  // In the order of their definitions, without those withdrawn. The last of a step is active.
  std::map<Step, std::vector<std::shared_ptr<const Upcaster>>> steps_ CAIRN_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Upcaster>> with_schema_ CAIRN_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Upcaster>> withdrawn_with_schema_ CAIRN_GUARDED_BY(mutex_);
  std::map<Step, std::uint32_t> revisions_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace cairn

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/event_store.h"
#include "eventstore/json/request_origin.h"
#include "eventstore/store_access.h"
#include "schemaregistry/registry/decide_delete.h"
#include "schemaregistry/registry/decide_register.h"
#include "schemaregistry/registry/decide_settings.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

struct RegistryCounts {
  std::size_t schemas = 0;   // that at least one version uses
  std::size_t subjects = 0;  // with a live version
};

// The schemas of one event store. Thread-safe.
//
// Invariants:
//  1. The state is folded from the events of the stream $schemas and nothing else. Another registry on the
//     same store, now or after a restart, gives the same answers.
//  2. A command decides on the state at one version of that stream and appends its events at exactly that
//     version. After a version conflict it reads the events of the other writer and decides again. So however
//     many registries write to one store, a version number is given once and a schema in use has one id.
//  3. A command answers after its events are on disk and applied to the state.
//
// Lock order: command_mutex_, catch_up_mutex_, state_mutex_.
class SchemaRegistry {
 public:
  // Reads the whole stream. Fails with kFailedPrecondition when a newer program has written to it, with
  // kCorruption when its events contradict each other. REQUIRES: `store` outlives the registry.
  static Result<std::unique_ptr<SchemaRegistry>> open(EventStore& store);

  // The same in a process that only reads the store: commands fail with kFailedPrecondition.
  static Result<std::unique_ptr<SchemaRegistry>> open_reader(LogReader& log);

  SchemaRegistry(const SchemaRegistry&) = delete;
  SchemaRegistry& operator=(const SchemaRegistry&) = delete;

  // Lookups for events that are appended or read. They cost a shared lock and a hash lookup; on a miss the
  // registry catches up with the stream and looks once more. The type of an event is the subject of its
  // schema.

  // The schema of the newest live version, or nullptr.
  std::shared_ptr<const StoredSchema> latest(std::string_view subject);
  // The schema of a live or soft-deleted version, or nullptr.
  std::shared_ptr<const StoredSchema> version(std::string_view subject, std::uint32_t version);
  // The schema of any version that was ever registered, or nullptr.
  std::shared_ptr<const StoredSchema> by_id(SchemaId id);
  // The subject's newest version with that id, live or soft-deleted, or nullopt.
  std::optional<std::uint32_t> version_of(std::string_view subject, SchemaId id);

  // Applies the events that other registries have appended to the stream. Costs two atomic loads when the log
  // has not grown. Commands and lookups that miss call it themselves.
  Status catch_up();

  // The number of events applied. Answers derived from the registry stay valid while it is the same.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // Counts what has been applied so far, without catching up.
  RegistryCounts counts();

  // Commands. They return when their events are durable; `origin` goes into the metadata of these.

  // The work is charged to `budget`, unless that is nullptr. When it ends before the append, refused with
  // kBudgetExceededCode, and nothing is registered.
  RegistryResult<SchemaId> register_schema(const Registration& wanted, WorkBudget* budget = nullptr,
                                           const RequestOrigin& origin = {});
  RegistryResult<std::uint32_t> delete_version(const std::string& subject,
                                               std::optional<std::uint32_t> version, Permanent permanent,
                                               const RequestOrigin& origin = {});
  RegistryResult<std::vector<std::uint32_t>> delete_subject(const std::string& subject, Permanent permanent,
                                                            const RequestOrigin& origin = {});
  RegistryResult<RegistryConfig> set_config(const SettingScope& scope, const RegistryConfig& config,
                                            const RequestOrigin& origin = {});
  RegistryResult<RegistryConfig> delete_config(const SettingScope& scope, const RequestOrigin& origin = {});
  RegistryResult<RegistryMode> set_mode(const SettingScope& scope, RegistryMode mode, Force force,
                                        const RequestOrigin& origin = {});
  RegistryResult<RegistryMode> delete_mode(const SettingScope& scope, const RequestOrigin& origin = {});

  // Catches up and returns `ask(state)`, a RegistryResult. `ask` sees the state as it is now, without a lock:
  // it may parse and compare schemas for as long as it takes, and must not keep a reference to the state.
  template <typename Ask>
  auto read(Ask ask) -> decltype(ask(std::declval<const RegistryState&>())) {
    CAIRN_CHECK(catch_up());
    const View view(*this);
    return ask(view.state());
  }

 private:
  explicit SchemaRegistry(StoreAccess store) : store_(store) {}
  static Result<std::unique_ptr<SchemaRegistry>> open_with(StoreAccess store);

  // The state, and how many Views see it.
  struct Shared {
    RegistryState state;
    std::atomic<std::size_t> views{0};
  };
  // Sees the state as it is now, and holds no lock. An event that is applied meanwhile goes to a copy.
  class View {
   public:
    explicit View(SchemaRegistry& registry) {
      const ReaderLock lock(registry.state_mutex_);
      shared_ = registry.shared_;
      shared_->views.fetch_add(1, std::memory_order_relaxed);
    }
    ~View() { shared_->views.fetch_sub(1, std::memory_order_release); }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    const RegistryState& state() const { return shared_->state; }

   private:
    std::shared_ptr<Shared> shared_;
  };

  Status apply_new_events() CAIRN_REQUIRES(catch_up_mutex_);
  Status apply_event(const EventView& stored) CAIRN_REQUIRES(catch_up_mutex_);

  Status parse_ahead(const RegistryState& state, const std::vector<RegistryEvent>& events)
      CAIRN_EXCLUDES(catch_up_mutex_);

  template <typename T, typename Decide>
  RegistryResult<T> execute(const RequestOrigin& origin, Decide decide);

  // Returns `find(state)`, before catching up if that finds something, else after.
  template <typename Find>
  auto find_or_catch_up(Find find) -> decltype(find(std::declval<const RegistryState&>()));

  const StoreAccess store_;
  Mutex command_mutex_;   // serialises commands: two at once would only conflict and decide again
  Mutex catch_up_mutex_;  // serialises the application of events
  std::atomic<std::uint64_t> seen_head_{0};  // the log up to this position has been searched for events
  std::atomic<std::uint64_t> changes_{0};
  // The schema that a command is about to register, parsed before its append: its event is applied without
  // parsing it again under the lock.
  std::shared_ptr<const StoredSchema> parsed_ahead_ CAIRN_GUARDED_BY(catch_up_mutex_);
  SharedMutex state_mutex_;  // held for lookups and to apply one event, never while a schema is parsed
  std::shared_ptr<Shared> shared_ CAIRN_GUARDED_BY(state_mutex_) = std::make_shared<Shared>();
};

}  // namespace cairn

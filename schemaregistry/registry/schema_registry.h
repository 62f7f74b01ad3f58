#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/event_store.h"
#include "schemaregistry/registry/decide_delete.h"
#include "schemaregistry/registry/decide_register.h"
#include "schemaregistry/registry/decide_settings.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

struct RegistryCounts {
  std::size_t schemas = 0;   // that some version has
  std::size_t subjects = 0;  // with a live version
};

// What is appended together with a registration, all or nothing, to streams of one's own. Gets what the
// registry will append, which is nothing when the schema is registered already. Asked again when somebody
// else was quicker.
using RegistrationCompanion =
    std::function<RegistryResult<std::vector<StreamAppend>>(const std::vector<RegistryEvent>& decided)>;

// The schemas of one event store. All functions may be called from any thread, at once.
//
// What holds:
//  1. Everything it knows is folded from the events of the stream $schemas. Opening another registry on the
//  same store,
//     now or after a restart, gives the same answers.
//  2. A command decides on the state as of one version of that stream and appends what it decided at exactly
//  that
//     version. When somebody else was quicker it reads what they did and decides again. So however many
//     registries write to one store, a version number is given once and a schema in use has one id.
//  3. A command that has answered is on disk.
class SchemaRegistry {
 public:
  // Reads the whole stream. Fails with kFailedPrecondition when a newer program has written there, with
  // kCorruption when the events contradict each other. REQUIRES: `store` outlives the registry.
  static Result<std::unique_ptr<SchemaRegistry>> open(EventStore& store);

  SchemaRegistry(const SchemaRegistry&) = delete;
  SchemaRegistry& operator=(const SchemaRegistry&) = delete;

  // For each event that is appended or read: a shared lock and a look into a table. What is not there is
  // looked for once more after reading what was added to the stream. The type of an event is the subject of
  // its schema.

  // The newest live version's, or nullptr.
  std::shared_ptr<const StoredSchema> latest(std::string_view subject);
  // Of a live or soft-deleted version, or nullptr.
  std::shared_ptr<const StoredSchema> version(std::string_view subject, std::uint32_t version);
  // Of any version there ever was, or nullptr.
  std::shared_ptr<const StoredSchema> by_id(SchemaId id);
  // The subject's newest version with that id, live or soft-deleted, or nullopt.
  std::optional<std::uint32_t> version_of(std::string_view subject, SchemaId id);

  // Takes notice of what others have appended to the stream. Nearly free when the log has not grown. Whoever
  // changes the registry, or asks for what it does not know, need not call it.
  Status catch_up();

  // Grows with everything that happens to the registry. What was found out at one number still holds while
  // the number is the same.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // How much there is, of what was read already.
  RegistryCounts counts();

  // Commands. They wait for the disk.

  RegistryResult<SchemaId> register_schema(const Registration& wanted,
                                           const RegistrationCompanion& companion = {});
  RegistryResult<std::uint32_t> delete_version(const std::string& subject,
                                               std::optional<std::uint32_t> version, Permanent permanent);
  RegistryResult<std::vector<std::uint32_t>> delete_subject(const std::string& subject, Permanent permanent);
  RegistryResult<RegistryConfig> set_config(const SettingScope& scope, const RegistryConfig& config);
  RegistryResult<RegistryConfig> delete_config(const SettingScope& scope);
  RegistryResult<RegistryMode> set_mode(const SettingScope& scope, RegistryMode mode, Force force);
  RegistryResult<RegistryMode> delete_mode(const SettingScope& scope);

  // Asks the state as it is now: returns what `ask(const RegistryState&)` returns, a RegistryResult. `ask`
  // must not keep the state, nor call the registry.
  template <typename Ask>
  auto read(Ask ask) -> decltype(ask(std::declval<const RegistryState&>())) {
    CAIRN_CHECK(catch_up());
    const std::shared_lock lock(state_mutex_);
    return ask(std::as_const(state_));
  }

 private:
  explicit SchemaRegistry(EventStore& store) : store_(store) {}

  Status apply_new_events();

  template <typename T, typename Decide>
  RegistryResult<T> execute(Decide decide, const RegistrationCompanion& companion = {});

  // What `find(state)` finds, at once or after catching up.
  template <typename Find>
  auto find_or_catch_up(Find find) -> decltype(find(std::declval<const RegistryState&>()));

  EventStore& store_;
  std::mutex command_mutex_;   // one command at a time: two would only make each other decide again
  std::mutex catch_up_mutex_;  // who holds it alone changes state_, and may read it without the lock below
  std::atomic<std::uint64_t> seen_head_{0};  // up to here the log has nothing new for us
  std::atomic<std::uint64_t> changes_{0};
  std::shared_mutex state_mutex_;
  RegistryState state_;
};

}  // namespace cairn

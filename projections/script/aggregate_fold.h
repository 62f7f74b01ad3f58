#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "projections/script/aggregate_script.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_data.h"
#include "upcasters/values/lua_event.h"

namespace cairn {

// Runs an aggregate's script: keeps the state of one stream as a Lua value and gives it to the handler of
// each event. Each call is held to the limits of LuaHost. After a failure only reset() and load() lead on.
// Belongs to one thread at a time.
class AggregateFold {
 public:
  // A script that failed, or (kCorruption) data that cannot be what was written.
  using Fault = std::variant<ScriptError, Error>;

  // Loads the script and calls its initial(), whose result must be a table that JSON can hold.
  static std::variant<std::unique_ptr<AggregateFold>, ScriptError> make(std::string_view source,
                                                                        const std::string& file,
                                                                        LuaHost::Log log = {});

  const AggregateHeader& header() const { return script_.header(); }

  // Whether it has a handler for events of this type.
  bool handles(std::string_view type) { return handler_of(type) != 0; }

  // Begins with what initial() returned, or {}. It was asked once: what a stream does to its state, another
  // stream's does not see.
  std::optional<Fault> reset();

  // Calls the handler of the part's type. Nothing where there is none.
  std::optional<Fault> apply(const EventView& event, const ShapedEvent& part);

  // Appends the state as JSON. What JSON cannot hold is an error that names the place.
  std::optional<Fault> append_json(std::string& to);

  // See lua_saved.h.
  bool save(std::string& to);
  bool load(std::string_view saved);

  // Whatever was kept by the address of a plan is forgotten.
  void forget_plans() { data_.forget_plans(); }

 private:
  explicit AggregateFold(AggregateScript script)
      : script_(std::move(script)), event_(script_.host()), data_(script_.host()) {}

  std::optional<ScriptError> prepare();
  int handler_of(std::string_view type);
  ScriptError complaint(std::string message) const;

  AggregateScript script_;
  std::map<std::string, int, std::less<>> handlers_;  // functions in the registry, by type
  int state_ = 0;                                     // where the state is in the registry
  std::string initial_;                               // saved
  LuaEvent event_;
  LuaData data_;
};

}  // namespace cairn

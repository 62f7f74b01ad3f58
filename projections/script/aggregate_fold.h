#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "projections/script/aggregate_script.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_data.h"
#include "upcasters/values/lua_event.h"

namespace cairn {

class FieldRecorder;

// Runs an aggregate's script: keeps the state of one stream as a Lua value and passes it to the handler of
// each event. Each call has the limits of LuaHost. After a failure the state is undefined until reset() or
// load(). Not thread-safe: one thread at a time.
class AggregateFold {
 public:
  // A script that failed, or (kCorruption) damaged data.
  using Fault = std::variant<ScriptError, Error>;

  // Loads the script and calls its initial(), whose result must be a table that JSON can hold. With a
  // recorder the results are not to be used (field_recorder.h); it outlives the fold.
  static ScriptResult<std::unique_ptr<AggregateFold>> make(std::string_view source, const std::string& file,
                                                           LuaHost::Log log = {},
                                                           FieldRecorder* recorder = nullptr);

  const AggregateHeader& header() const { return script_.header(); }

  // Whether it has a handler for events of this type.
  bool handles(std::string_view type) { return handler_of(type) != 0; }
  // The types that it has handlers for, rising.
  std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const auto& [type, handler] : handlers_) types.push_back(type);
    return types;
  }

  // Sets the state that initial() returned, or {}. initial() was called once; each stream gets its own copy
  // of the result.
  Result<void, Fault> reset();

  // Calls the handler of the part's type, if there is one.
  Result<void, Fault> apply(const EventView& event, const ShapedEvent& part);

  // Appends the state as JSON. A value that JSON cannot represent is an error that names its path.
  Result<void, Fault> append_json(std::string& to);

  // See lua_saved.h.
  bool save(std::string& to);
  bool load(std::string_view saved);

  // Drops all caches keyed by the address of a decoding plan.
  void forget_plans() { data_.forget_plans(); }

 private:
  explicit AggregateFold(AggregateScript script)
      : script_(std::move(script)), event_(script_.host()), data_(script_.host()) {}

  ScriptResult<void> prepare();
  int handler_of(std::string_view type);
  ScriptError complaint(std::string message) const;

  AggregateScript script_;
  std::map<std::string, int, std::less<>> handlers_;  // functions in the Lua registry, by type
  int state_ = 0;                                     // the state, in the Lua registry
  std::string initial_;                               // the result of initial(), saved
  FieldRecorder* recorder_ = nullptr;
  LuaEvent event_;
  LuaData data_;
};

}  // namespace cairn

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "projections/script/projection_script.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_data.h"
#include "upcasters/values/lua_event.h"

namespace cairn {

class FieldRecorder;

// Runs a projection's script: keeps rows as Lua tables in numbered slots and passes them to the handlers of
// events. Each call of a script function has the limits of LuaHost, and a failed call does not change other
// rows. Not thread-safe: one thread at a time.
//
// Invariant: the function key and a handler each get a fresh copy of the event. Changes that one of them
// makes to it are not visible to the other, so rows do not depend on where keys are computed.
class ProjectionFold {
 public:
  // A script that failed, or (kCorruption) damaged data.
  using Fault = std::variant<ScriptError, Error>;

  // With a recorder the results are not to be used (field_recorder.h); it outlives the fold.
  static ScriptResult<std::unique_ptr<ProjectionFold>> make(std::string_view source, const std::string& file,
                                                            LuaHost::Log log = {},
                                                            FieldRecorder* recorder = nullptr);

  const ProjectionHeader& header() const { return script_.header(); }

  // Sets `key` to the result of the function key as text, or to the event's stream when the script has no
  // such function; to "" when it returns nil or the script has no handler for this type.
  std::optional<Fault> key_of(const EventView& event, const ShapedEvent& part, std::string& key);

  // Loads a saved row into a slot; for "" a new one. False when the bytes are not a saved row. If the Lua
  // state has no memory for the row, apply() and save() of the slot report that.
  bool load(std::uint32_t slot, std::string_view saved);

  // Whether it has a handler for events of this type.
  bool handles(std::string_view type) { return handler_of(type) != nullptr; }

  // Calls the handler of the part's type, if there is one, with the row.
  std::optional<Fault> apply(std::uint32_t slot, const EventView& event, const ShapedEvent& part);

  // Appends the row (lua_saved.h); nothing for a row that is deleted or empty. Fails, with `to` unchanged,
  // for a row that JSON cannot represent or that is larger than kRowBytesMax.
  std::optional<Fault> save(std::uint32_t slot, std::string& to);

  // Empties all slots.
  void clear();

  // Approximate memory of the rows; and that of the whole Lua state, including garbage.
  std::size_t rows_bytes() const;
  std::size_t memory_used() const { return script_.host().memory_used(); }

  // Drops all caches keyed by the address of a decoding plan.
  void forget_plans() { data_.forget_plans(); }

 private:
  struct Handler {
    int function = 0;  // in the Lua registry
    int line = 0;      // where it begins
  };
  using Handlers = std::map<std::string, Handler, std::less<>>;

  explicit ProjectionFold(ProjectionScript script)
      : script_(std::move(script)), event_(script_.host()), data_(script_.host()) {}

  ScriptResult<void> prepare_script();
  std::string take_key(lua_State* state, std::string& key) const;
  std::string take_row(lua_State* state, std::uint32_t slot, std::string_view type);
  void push_chunk(lua_State* state, std::uint32_t slot);
  const Handlers::value_type* handler_of(std::string_view type);
  ScriptError complaint(std::string message, int line = 0) const;

  ProjectionScript script_;
  Handlers handlers_;
  const Handlers::value_type* last_handler_ = nullptr;
  Handler key_;  // function 0: the script has none
  FieldRecorder* recorder_ = nullptr;
  LuaEvent event_;
  LuaData data_;
  std::vector<int> chunks_;                            // tables of rows in the Lua registry; 0: none yet
  std::unordered_map<std::uint32_t, Fault> unloaded_;  // slots whose row did not fit into memory
  std::size_t bytes_without_rows_ = 0;
};

}  // namespace cairn

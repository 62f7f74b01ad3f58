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
#include "projections/readmodel/row_limits.h"
#include "projections/script/projection_script.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_data.h"
#include "upcasters/values/lua_event.h"

namespace cairn {

// Runs a projection's script: keeps rows as Lua tables in numbered slots and gives them to the handlers of
// events. Each call of a function of the script is held to the limits of LuaHost, and one that fails leaves
// the other rows as they were. Belongs to one thread at a time.
//
// What holds: the function key and a handler each get the event as it was appended. What the one does to it
// the other does not see, so that rows are the same wherever keys are asked for.
class ProjectionFold {
 public:
  // A script that failed, or (kCorruption) data that cannot be what was written.
  using Fault = std::variant<ScriptError, Error>;

  static std::variant<std::unique_ptr<ProjectionFold>, ScriptError> make(std::string_view source,
                                                                         const std::string& file,
                                                                         LuaHost::Log log = {});

  const ProjectionHeader& header() const { return script_.header(); }

  // What the function key returns for the event as text; without one the event's stream; "" when it returns
  // nil, or no function handles events of this type.
  std::optional<Fault> key_of(const EventView& event, const ShapedEvent& part, std::string& key);

  // Puts a saved row into a slot; for "" a new one. False when the bytes are no saved row. Where there is no
  // memory for it, that is what apply() and save() say of the slot.
  bool load(std::uint32_t slot, std::string_view saved);

  // Calls the handler of the part's type with the row. Nothing where there is none.
  std::optional<Fault> apply(std::uint32_t slot, const EventView& event, const ShapedEvent& part);

  // Appends the row (lua_saved.h); nothing for one that is deleted or empty. Fails, and `to` is as it was,
  // for a row that JSON cannot hold or that is larger than kRowBytesMax.
  std::optional<Fault> save(std::uint32_t slot, std::string& to);

  // Empties all slots.
  void clear();

  // What the rows take, roughly; and all that the state has, with garbage.
  std::size_t rows_bytes() const;
  std::size_t memory_used() const { return script_.host().memory_used(); }

  // Whatever was kept by the address of a plan is forgotten.
  void forget_plans() { data_.forget_plans(); }

 private:
  struct Handler {
    int function = 0;  // in the registry
    int line = 0;      // where it begins
  };
  using Handlers = std::map<std::string, Handler, std::less<>>;

  explicit ProjectionFold(ProjectionScript script)
      : script_(std::move(script)), event_(script_.host()), data_(script_.host()) {}

  std::optional<ScriptError> prepare_script();
  std::string take_key(lua_State* state, std::string& key) const;
  std::string take_row(lua_State* state, std::uint32_t slot, std::string_view type);
  void push_chunk(lua_State* state, std::uint32_t slot);
  const Handlers::value_type* handler_of(std::string_view type);
  ScriptError complaint(std::string message, int line = 0) const;

  ProjectionScript script_;
  Handlers handlers_;
  const Handlers::value_type* last_handler_ = nullptr;
  Handler key_;  // function 0: there is none
  LuaEvent event_;
  LuaData data_;
  std::vector<int> chunks_;                            // tables of rows in the registry; 0: none yet
  std::unordered_map<std::uint32_t, Fault> unloaded_;  // slots whose rows there was no memory for
  std::size_t bytes_without_rows_ = 0;
};

}  // namespace cairn

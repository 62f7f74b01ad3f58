#pragma once

#include <string_view>

#include "eventstore/types.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// What scripts see of an event: {position, stream, category, version, id, type, data, metadata, tags,
// recorded_at}. Members are made when a script asks for them, since most scripts look at few. Belongs to its
// host's thread.
class LuaEvent {
 public:
  // REQUIRES: the host outlives it; outside of LuaHost::run().
  explicit LuaEvent(LuaHost& host);
  ~LuaEvent();
  LuaEvent(const LuaEvent&) = delete;
  LuaEvent& operator=(const LuaEvent&) = delete;

  // Pushes the event's table; `data` is the value at `data_index` of the stack. `type` is what the event is
  // by now, which may be another than it was stored as. What a script keeps of the table beyond forget() has
  // only the members it had asked for; asking for others is an error. REQUIRES: inside LuaHost::run();
  // `event` lives until forget().
  void push(const EventView& event, std::string_view type, int data_index);
  void forget() { event_ = nullptr; }

 private:
  // The event whose table is the first argument; raises an error when it is none of now.
  static LuaEvent& asked(lua_State* state);
  static int index(lua_State* state);
  static int pairs(lua_State* state);

  LuaHost& host_;
  LuaEvent** box_ = nullptr;  // in the state, like the metatable; none where there was no memory for it
  int metatable_ = 0;         // in the registry
  const EventView* event_ = nullptr;
  const void* table_ = nullptr;  // what tells the event's table from those of earlier ones
  std::string_view type_;
};

}  // namespace cairn

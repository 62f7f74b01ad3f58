#pragma once

#include <string_view>

#include "eventstore/types.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// The event table that scripts receive: {position, stream, category, version, id, type, data, metadata, tags,
// recorded_at}. Of an event with opaque data, `data` is nil, and there are {bytes, content_type}. Of an event
// that is not stored yet, position, version and recorded_at are nil, and the id when the client gave none.
// Members are made when a script reads them, since most scripts read few. Not thread-safe: used by the thread
// that uses the host.
class LuaEvent {
 public:
  // REQUIRES: the host outlives it; outside of LuaHost::run().
  explicit LuaEvent(LuaHost& host);
  ~LuaEvent();
  LuaEvent(const LuaEvent&) = delete;
  LuaEvent& operator=(const LuaEvent&) = delete;

  // Pushes the event's table; `data` is the value at `data_index` of the stack. `type` is the type after
  // shaping, which may differ from the stored one. A table that a script keeps beyond forget() has only the
  // members that were read; reading others raises an error. REQUIRES: inside LuaHost::run(); `event` lives
  // until forget().
  void push(const EventView& event, std::string_view type, int data_index);
  void forget() { event_ = nullptr; }

 private:
  // The event whose table is the first argument; raises an error when that is not the current one.
  static LuaEvent& asked(lua_State* state);
  static int index(lua_State* state);
  static int pairs(lua_State* state);

  LuaHost& host_;
  LuaEvent** box_ = nullptr;  // a userdata of the state; nullptr when there was no memory for it
  int metatable_ = 0;         // its reference in the registry
  const EventView* event_ = nullptr;
  const void* table_ = nullptr;  // the address of the current event's table, to tell it from earlier ones
  std::string_view type_;
};

}  // namespace cairn

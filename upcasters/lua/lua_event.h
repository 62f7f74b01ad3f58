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
  // REQUIRES: the host outlives it.
  explicit LuaEvent(LuaHost& host);

  // Pushes the event's table; `data` is the value at `data_index` of the stack. `type` is what the event is
  // by now, which may be another than it was stored as. What a script keeps of the table beyond forget() has
  // only the members it had asked for; asking for others is an error. REQUIRES: inside LuaHost::run();
  // `event` lives until forget().
  void push(const EventView& event, std::string_view type, int data_index);
  void forget() { event_ = nullptr; }

 private:
  static int index(lua_State* state);

  LuaHost& host_;
  const EventView* event_ = nullptr;
  std::string_view type_;
};

}  // namespace cairn

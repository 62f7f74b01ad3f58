#pragma once

#include <memory>
#include <unordered_map>

#include "eventstore/base/result.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_reader.h"

struct lua_State;

namespace cairn {

// Pushes the data of shaped events as Lua values, from Avro or JSON; nil for opaque data. Caches a reader for
// each plan. Not thread-safe: used by the thread that uses the host.
class LuaData {
 public:
  // REQUIRES: `host` outlives it.
  explicit LuaData(LuaHost& host) : host_(host) {}

  // Sets the part whose data push() pushes. REQUIRES: it lives until then; outside of LuaHost::run().
  void prepare(const ShapedEvent& part);

  // As LuaReader::push(). REQUIRES: inside LuaHost::run().
  Status push(lua_State* state) const;

  // Drops what is cached by the address of a plan. Called before plans are destroyed.
  void forget_plans();

 private:
  LuaHost& host_;
  const ShapedEvent* part_ = nullptr;
  std::unordered_map<const DecodePlan*, std::unique_ptr<LuaReader>> readers_;
  const DecodePlan* last_plan_ = nullptr;  // consecutive events often have the same plan
  LuaReader* last_reader_ = nullptr;
};

}  // namespace cairn

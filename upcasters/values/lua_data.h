#pragma once

#include <memory>
#include <unordered_map>

#include "eventstore/base/result.h"
#include "upcasters/model/shaped_event.h"
#include "upcasters/values/lua_reader.h"

struct lua_State;

namespace cairn {

// The data of shaped events as Lua values: Avro by the plan of each, or JSON. Keeps a reader for each plan.
// Belongs to its host's thread.
class LuaData {
 public:
  // REQUIRES: `host` outlives it.
  explicit LuaData(LuaHost& host) : host_(host) {}

  // The part whose data push() pushes. REQUIRES: it lives until then; outside of LuaHost::run().
  void prepare(const ShapedEvent& part);

  // As LuaReader::push(). REQUIRES: inside LuaHost::run().
  Status push(lua_State* state) const;

  // Whatever was kept by the address of a plan is forgotten.
  void forget_plans();

 private:
  LuaHost& host_;
  const ShapedEvent* part_ = nullptr;
  std::unordered_map<const DecodePlan*, std::unique_ptr<LuaReader>> readers_;
  const DecodePlan* last_plan_ = nullptr;  // neighbours are often alike
  LuaReader* last_reader_ = nullptr;
};

}  // namespace cairn

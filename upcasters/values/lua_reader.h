#pragma once

#include <memory>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/decode_plan.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// Decodes Avro bytes to Lua values by a plan: a record or map becomes a table, an array a marked sequence, an
// enum, bytes and fixed become strings, null becomes `null`. A value of a union is the plain value. Only
// where a string could be taken for another type of the union do bytes, fixed and enums stand under their
// type's name, as in JSON. Records and maps that could be taken for another type of the union are tagged with
// their type (lua_types.h). Not thread-safe: used by the thread that uses the host.
class LuaReader {
 public:
  // REQUIRES: host and plan outlive it; outside of LuaHost::run().
  LuaReader(LuaHost& host, const DecodePlan& plan);
  ~LuaReader();
  LuaReader(const LuaReader&) = delete;
  LuaReader& operator=(const LuaReader&) = delete;

  // Pushes the value. Fails with kCorruption when the bytes do not match the plan; the stack is then
  // unchanged. Raises an error when the host's memory is too small for the plan's names. REQUIRES: inside
  // LuaHost::run().
  Status push(std::string_view avro);

  struct Names;

 private:
  LuaHost& host_;
  const DecodePlan& plan_;
  std::unique_ptr<Names> names_;  // the field names of the plan's records, as strings of the state
};

}  // namespace cairn

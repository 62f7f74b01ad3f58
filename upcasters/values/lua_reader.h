#pragma once

#include <memory>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/decode_plan.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// Turns Avro bytes into Lua values by a plan: a record and a map become tables, an array a marked sequence,
// an enum, bytes and fixed strings, null `null`. A union's value is the value itself; only where strings
// could be taken for another of the union's types do bytes, fixed and enums stand under their type's name, as
// in JSON. Records and maps that could be taken for another of a union's types remember which one they are
// (lua_types.h). Belongs to its host's thread.
class LuaReader {
 public:
  // REQUIRES: host and plan outlive it; outside of LuaHost::run().
  LuaReader(LuaHost& host, const DecodePlan& plan);
  ~LuaReader();
  LuaReader(const LuaReader&) = delete;
  LuaReader& operator=(const LuaReader&) = delete;

  // Pushes the value. Fails with kCorruption when the bytes are not what the plan reads; the stack is then as
  // it was. Raises an error where the host's memory is too small for the plan's names.
  // REQUIRES: inside LuaHost::run().
  Status push(std::string_view avro);

  struct Names;

 private:
  LuaHost& host_;
  const DecodePlan& plan_;
  std::unique_ptr<Names> names_;  // the field names of the plan's records, as strings of the state
};

}  // namespace cairn

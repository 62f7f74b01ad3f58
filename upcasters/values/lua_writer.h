#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/data_fault.h"
#include "schemaregistry/codec/encode_program.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// Encodes Lua values as Avro with one schema, and validates them by that. A missing field gets its default,
// an unknown one is a fault; an integer is accepted for a floating point type, and a float for an integer
// type if nothing is lost. Not thread-safe: used by the thread that uses the host.
class LuaWriter {
 public:
  // Fails with kInvalidArgument when a default cannot be encoded, with kTooLarge when the host's memory is
  // too small for the schema's names. REQUIRES: host and schema outlive it; outside of LuaHost::run().
  static Result<std::unique_ptr<LuaWriter>> make(LuaHost& host, const Schema& schema);
  ~LuaWriter();
  LuaWriter(const LuaWriter&) = delete;
  LuaWriter& operator=(const LuaWriter&) = delete;

  // Appends the value at `index` to `to`. When it does not fit the schema, returns the faults (at most
  // kDataFaultsMax) and leaves `to` unchanged. The stack is unchanged. REQUIRES: inside LuaHost::run().
  std::vector<DataFault> write(int index, std::string& to);

  struct Names;

 private:
  LuaWriter(LuaHost& host, EncodeProgram program);

  LuaHost& host_;
  EncodeProgram program_;
  std::unique_ptr<Names> names_;  // the field names of the schema's records, as strings of the state
};

}  // namespace cairn

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/script/upcaster_script.h"
#include "upcasters/values/lua_event.h"

namespace cairn {

// Runs an upcaster's script on data that is JSON, for a trial without schemas: what it returns is not checked against
// a schema, and becomes JSON. Where a schema decides how a value comes to Lua (bytes, unions, a float that is written
// without a point) the result may differ from that of UpcasterRunner. Not thread-safe.
class JsonUpcast {
 public:
  // A recorder notes what the script reads; the results are then not to be used (field_recorder.h).
  static ScriptResult<std::unique_ptr<JsonUpcast>> make(std::string_view source, const std::string& file,
                                                        FieldRecorder* recorder = nullptr);

  const UpcasterHeader& header() const { return script_.header(); }

  // The types and data of the resulting events; none when the script drops the event.
  // REQUIRES: the event's data is JSON that check_json() accepts.
  ScriptResult<std::vector<std::pair<std::string, std::string>>> run(const EventView& event,
                                                                     std::string_view json);

 private:
  JsonUpcast(UpcasterScript script, std::string file, FieldRecorder* recorder)
      : script_(std::move(script)), file_(std::move(file)), recorder_(recorder), event_(script_.host()) {}

  UpcasterScript script_;
  const std::string file_;
  FieldRecorder* recorder_;
  LuaEvent event_;
};

}  // namespace cairn

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/chain/chain.h"
#include "upcasters/model/part_buffers.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/script/upcaster_script.h"
#include "upcasters/values/lua_event.h"
#include "upcasters/values/lua_reader.h"
#include "upcasters/values/lua_writer.h"

namespace cairn {

// A type of events that a script produces, and their version.
struct PartTarget {
  std::string type;
  std::uint32_t version = 0;
  std::shared_ptr<const StoredSchema> schema;
};

// One event that a script produced.
struct ScriptPart {
  const PartTarget* target = nullptr;  // lives as long as the runner
  std::string_view data;               // Avro; points into the buffers
};

// Runs the script of one step of a chain: reads the data into Lua, calls the script, checks the result
// against the target schema and encodes it. Not thread-safe.
class UpcasterRunner {
 public:
  // The version of events of another type that a script produces; kNotFound when the type has none.
  using FindTarget =
      std::function<Result<SubjectVersion>(std::string_view type, std::uint64_t registry_changes)>;

  // REQUIRES: `step` has an upcaster and outlives the runner.
  static ScriptResult<std::unique_ptr<UpcasterRunner>> make(const ChainStep& step, FindTarget find_target,
                                                            LuaHost::Log log);

  // Appends the resulting events to `parts`, in order; none when the script drops the event. `data` is the
  // event's at this step. The fault has no position or stream; the caller adds them.
  ShapeResult<void> run(const EventView& event, std::string_view data, PartBuffers& buffers,
                        std::vector<ScriptPart>& parts);

  // Whether the Lua state may be inconsistent after the last failure: the caller discards the runner.
  bool is_spent() const { return spent_; }

 private:
  struct Target : PartTarget {
    std::unique_ptr<LuaWriter> writer;
  };

  UpcasterRunner(const ChainStep& step, UpcasterScript script, FindTarget find_target);

  void attempt(const EventView& event, std::string_view data, PartBuffers& buffers,
               std::vector<ScriptPart>& parts);
  void call(lua_State* state, const EventView& event);
  void take_result(lua_State* state, PartBuffers& buffers, std::vector<ScriptPart>& parts);
  void take_part(lua_State* state, int place, PartBuffers& buffers, std::vector<ScriptPart>& parts);
  void write(lua_State* state, int index, Target& target, int place, PartBuffers& buffers,
             std::vector<ScriptPart>& parts);
  bool add_target(const std::string& type);
  void fail(ShapeFault::Kind kind, std::string message, std::string group = {});

  const ChainStep& step_;
  UpcasterScript script_;
  FindTarget find_target_;
  LuaReader reader_;
  LuaEvent event_;
  std::map<std::string, Target, std::less<>> targets_;
  Target* own_ = nullptr;            // of the step itself
  std::optional<ShapeFault> fault_;  // of the current call
  std::size_t written_ = 0;          // bytes, by the current call
  std::string missing_type_;         // of an event that the current call produced and that has no target yet
  bool spent_ = false;
};

}  // namespace cairn

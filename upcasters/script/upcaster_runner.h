#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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

// A type that a script makes events of, and the version it makes them in.
struct PartTarget {
  std::string type;
  std::uint32_t version = 0;
  std::shared_ptr<const StoredSchema> schema;
};

// One event that a script made.
struct ScriptPart {
  const PartTarget* target = nullptr;  // lives as long as the runner
  std::string_view data;               // Avro; lives in the buffers
};

// Runs the script of one step of a chain: reads the data into Lua, calls the script, checks what comes back
// against the schema it is meant for and writes it. Belongs to one thread at a time.
class UpcasterRunner {
 public:
  // Which version a script means when it makes an event of another type; kNotFound when there is none.
  using FindTarget =
      std::function<Result<SubjectVersion>(std::string_view type, std::uint64_t registry_changes)>;

  // REQUIRES: `step` has an upcaster and outlives the runner.
  static std::variant<std::unique_ptr<UpcasterRunner>, ScriptError> make(const ChainStep& step,
                                                                         FindTarget find_target,
                                                                         LuaHost::Log log);

  // Appends to `parts` what becomes of the event, in order; nothing when the script drops it. `data` is the
  // event's at this step. What fails is told without the event's place.
  std::optional<ShapeFault> run(const EventView& event, std::string_view data, PartBuffers& buffers,
                                std::vector<ScriptPart>& parts);

  // Whether the last failure leaves the state in doubt: it is better made anew.
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
  Target* own_ = nullptr;            // that of the step itself
  std::optional<ShapeFault> fault_;  // of the call under way
  std::size_t written_ = 0;          // bytes, by the call under way
  std::string missing_type_;         // that the call under way would need a target for
  bool spent_ = false;
};

}  // namespace cairn

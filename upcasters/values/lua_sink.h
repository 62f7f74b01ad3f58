#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "schemaregistry/codec/run_plan.h"
#include "upcasters/values/lua_reader.h"

namespace cairn {

// How a union's value shows which of the union's types it is, where it could be taken for another.
enum class UnionMark : std::uint8_t {
  kNone,  // it shows by itself
  kName,  // it stands under the type's name: bytes, fixed and enums, which are all strings in Lua
  kType,  // its table remembers the type (lua_types.h): records and maps
};
// `node` reads the value.
UnionMark union_mark(const UnionForm& form, std::uint32_t branch, const PlanNode& node);

// What a plan's values are called, gathered once in one Lua table of the registry: the names of each record's
// fields; and for each type of a union the name its values stand under, the metatable that remembers it, or
// false.
struct LuaReader::Names {
  struct Record {
    int first = 0;   // where in the table its first field's name is; fields that are skipped have a place too
    int fields = 0;  // that scripts see
  };
  int reference = 0;  // in the registry
  std::unordered_map<const PlanNode*, Record> records;
  std::unordered_map<const UnionForm*, int> unions;  // where the mark of its first type is
  std::string failure;                               // why there is no table

  void gather(lua_State* state, const PlanNode& root);
};

// Pushes what it is told as a Lua value. Each value is put into the table around it as soon as it is
// complete, so the stack holds the tables under way and at most a key.
class LuaSink {
 public:
  // REQUIRES: inside LuaHost::run(); the table of `names` is at `names_index` of the stack.
  LuaSink(lua_State* state, const LuaReader::Names& names, int names_index)
      : state_(state), names_(names), names_index_(names_index) {
    frame_->around = Around::kNothing;
  }

  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void decimal(float value) { decimal(static_cast<double>(value)); }
  void decimal(double value);
  void text(std::string_view text) { bytes(text); }
  void bytes(std::string_view bytes);
  void fixed(std::string_view bytes) { this->bytes(bytes); }
  void symbol(std::string_view name, std::uint32_t) { bytes(name); }
  void begin_record(const PlanNode& node);
  void field(const PlanField& field);
  void end_record() { end_table(); }
  void begin_array();
  void item() {}
  void end_array();
  void begin_map();
  void key(std::string_view key);
  void end_map() { end_table(); }
  bool begin_union(const UnionForm& form, std::uint32_t branch, const PlanNode& node, AvroBytes bytes);
  void end_union(bool) {}

 private:
  enum class Around : std::uint8_t { kNothing, kMembers, kItems };
  // Filled in when it is entered: setting all of them for each event costs more than a field does.
  struct Frame {
    Around around;
    int first_name;                // of a record
    const PlanField* first_field;  // of a record
    std::int64_t items;            // of an array, so far
  };

  void begin_table(Around around, int members);
  void end_table() {
    --frame_;
    placed();
  }
  // Puts the value on top of the stack where it belongs.
  void placed();

  lua_State* state_;
  const LuaReader::Names& names_;
  int names_index_;
  int mark_ = 0;  // where in the table of names the next value's mark is; 0 = it has none
  Frame frames_[kDataDepthMax + 1];
  Frame* frame_ = frames_;  // the innermost one
};

}  // namespace cairn

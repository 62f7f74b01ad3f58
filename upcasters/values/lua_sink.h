#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "schemaregistry/codec/run_plan.h"
#include "upcasters/values/lua_reader.h"

namespace cairn {

// How a value of a union is tagged with its type, where it could be taken for another type of the union.
enum class UnionMark : std::uint8_t {
  kNone,  // it is unambiguous
  kName,  // it stands under the type's name: bytes, fixed and enums, which are all strings in Lua
  kType,  // its table has the metatable of the type (lua_types.h): records and maps
};
// `node` reads the value.
UnionMark union_mark(const UnionForm& form, std::uint32_t branch, const PlanNode& node);

// The strings and metatables that the values of a plan need, made once in one Lua table of the registry: the
// names of each record's fields; and for each type of a union the name its values stand under, its metatable,
// or false.
struct LuaReader::Names {
  struct Record {
    int first = 0;   // the index of its first field's name in the table; skipped fields have an index too
    int fields = 0;  // the number of fields that scripts see
  };
  int reference = 0;  // of the table, in the registry
  std::unordered_map<const PlanNode*, Record> records;
  std::unordered_map<const UnionForm*, int> unions;  // the index of the mark of its first type
  std::string failure;                               // why there is no table

  void gather(lua_State* state, const PlanNode& root);
};

// A sink (run_plan.h) that builds a Lua value. Each value is stored in the enclosing table as soon as it is
// complete, so the stack holds the open tables and at most a key.
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
  // Initialised when it is entered: clearing all frames for each event would cost more than decoding a field.
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
  // Stores the value on top of the stack in the enclosing table.
  void placed();

  lua_State* state_;
  const LuaReader::Names& names_;
  int names_index_;
  int mark_ = 0;  // the index of the next value's mark in the table of names; 0 = none
  Frame frames_[kDataDepthMax + 1];
  Frame* frame_ = frames_;  // the innermost one
};

}  // namespace cairn

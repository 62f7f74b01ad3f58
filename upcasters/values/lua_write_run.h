#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schemaregistry/codec/data_fault.h"
#include "schemaregistry/codec/encode_program.h"
#include "upcasters/values/lua_path.h"
#include "upcasters/values/lua_writer.h"

namespace cairn {

// The names of all fields of a schema's records, gathered once in one Lua table of the registry.
struct LuaWriter::Names {
  int reference = 0;                                 // in the registry
  std::unordered_map<const EncodeNode*, int> first;  // where in the table a record's first name is

  void gather(lua_State* state, const EncodeNode& root);
};

// Writes one Lua value as Avro. Used once. Does for Lua what EncodeRun does for JSON, and complains in the
// same words.
//
// Tables can lead back to themselves and stand in many places at once, so a small state may stand for a value
// without end. Each look at a table takes steps from the call's, and depth and bytes are bounded.
class LuaWriteRun {
 public:
  // REQUIRES: inside LuaHost::run(); the table of `names` is at `names_index` of the stack.
  LuaWriteRun(lua_State* state, const LuaWriter::Names& names, int names_index, std::string& to)
      : state_(state), names_(names), names_index_(names_index), out_(to), start_(to.size()) {}

  // Writes the value on top of the stack. See LuaWriter::write().
  std::vector<DataFault> write(const EncodeNode& root);

 private:
  // All of these write the value on top of the stack, and leave the stack as it is.
  void value(const EncodeNode& node, const LuaPath& path);
  void record(const EncodeNode& node, const LuaPath& path);
  void array(const EncodeNode& node, const LuaPath& path);
  void map(const EncodeNode& node, const LuaPath& path);
  void one_of(const EncodeNode& node, const LuaPath& path);
  void one_of_tables(const EncodeNode& node, const LuaPath& path);
  bool one_of_tagged(const EncodeNode& node, std::string_view tag, bool may_be_other, const LuaPath& path);
  bool scalar(const EncodeNode& node);
  bool string(const EncodeNode& node);

  // The whole number on top of the stack, also where it is a float; nullopt for any other value.
  std::optional<std::int64_t> whole_number() const;
  std::string_view string_at(int index) const;

  // The union's type to take for a number or string, or -1.
  int choose_for_number(const EncodeNode& node);
  int choose_for_string(const EncodeNode& node);
  // Whether the value on top of the stack would fit a type that has no parts.
  bool fits(const EncodeNode& node);
  // The union's records that have the names of the table, and its map; in this order.
  std::vector<int> tables_of(const EncodeNode& node, const std::vector<std::string_view>& names,
                             bool only_members);
  // Writes the value as the union's type of that place.
  void branch(const EncodeNode& node, int index, const LuaPath& path);
  // The same; takes everything back and returns false when it does not fit.
  bool try_branch(const EncodeNode& node, int index, const LuaPath& path);

  void missing_field(const EncodeField& field, const LuaPath& path);
  void unknown_members(const EncodeNode& node, int table, const LuaPath& path);
  // Why a table is no sequence.
  void no_sequence(const EncodeNode& node, int table, std::size_t entries, const LuaPath& path);
  // Stops the run when more was written than an event can hold.
  void check_size(const LuaPath& path);

  // Says that the value on top of the stack is none of the type.
  void misfit(const EncodeNode& node, const LuaPath& path);
  void fault(const LuaPath& path, std::string expected, std::string found);
  // Whether nobody would read a fault: costs little then.
  bool in_trial() const { return trials_ > 0; }
  // Whether whatever follows makes no difference any more.
  bool is_over() const { return stopped_ || trial_failed_ || faults_.size() >= kDataFaultsMax; }

  lua_State* state_;
  const LuaWriter::Names& names_;
  int names_index_;
  std::string& out_;
  std::size_t start_;  // of what is written, in the output
  std::vector<DataFault> faults_;
  std::size_t trials_ = 0;     // under way, each inside the one before: their faults are not kept
  bool trial_failed_ = false;  // the innermost one
  std::size_t empty_values_ = 0;
  bool stopped_ = false;  // it is too large already; nothing more is written
};

}  // namespace cairn

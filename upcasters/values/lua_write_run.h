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

// The field names of a schema's records, made once as strings of one Lua table in the registry.
struct LuaWriter::Names {
  int reference = 0;                                 // of the table, in the registry
  std::unordered_map<const EncodeNode*, int> first;  // the index of a record's first name in the table

  void gather(lua_State* state, const EncodeNode& root);
};

// Encodes one Lua value as Avro. Used once. The counterpart of EncodeRun for JSON, with the same messages.
//
// Tables can contain themselves and be referenced many times, so a small state can expand to an endless
// value. Each visit of a table is charged to the call, and depth and bytes are bounded.
class LuaWriteRun {
 public:
  // REQUIRES: inside LuaHost::run(); the table of `names` is at `names_index` of the stack.
  LuaWriteRun(lua_State* state, const LuaWriter::Names& names, int names_index, std::string& to)
      : state_(state), names_(names), names_index_(names_index), out_(to), start_(to.size()) {}

  // Encodes the value on top of the stack. See LuaWriter::write().
  std::vector<DataFault> write(const EncodeNode& root);

 private:
  // Each encodes the value on top of the stack, and leaves the stack unchanged.
  void value(const EncodeNode& node, const LuaPath& path);
  void record(const EncodeNode& node, const LuaPath& path);
  void array(const EncodeNode& node, const LuaPath& path);
  void map(const EncodeNode& node, const LuaPath& path);
  void one_of(const EncodeNode& node, const LuaPath& path);
  void one_of_tables(const EncodeNode& node, const LuaPath& path);
  bool one_of_tagged(const EncodeNode& node, std::string_view tag, bool may_be_other, const LuaPath& path);
  bool scalar(const EncodeNode& node);
  bool string(const EncodeNode& node);

  // The number on top of the stack if it is an integer or a float with an integral value, else nullopt.
  std::optional<std::int64_t> whole_number() const;
  std::string_view string_at(int index) const;

  // The index of the union's type for a number or string, or -1.
  int choose_for_number(const EncodeNode& node);
  int choose_for_string(const EncodeNode& node);
  // Whether the value on top of the stack fits a scalar type.
  bool fits(const EncodeNode& node);
  // The indexes of the union's records that have the names of the table, then that of its map.
  std::vector<int> tables_of(const EncodeNode& node, const std::vector<std::string_view>& names,
                             bool only_members);
  // Encodes the value as the type at `index` of the union.
  void branch(const EncodeNode& node, int index, const LuaPath& path);
  // The same; undoes everything and returns false when it does not fit.
  bool try_branch(const EncodeNode& node, int index, const LuaPath& path);

  void missing_field(const EncodeField& field, const LuaPath& path);
  void unknown_members(const EncodeNode& node, int table, const LuaPath& path);
  // Reports why a table is not a sequence.
  void no_sequence(const EncodeNode& node, int table, std::size_t entries, const LuaPath& path);
  // Stops the run when more was written than an event can hold.
  void check_size(const LuaPath& path);

  // Reports that the value on top of the stack is not of the type.
  void misfit(const EncodeNode& node, const LuaPath& path);
  void fault(const LuaPath& path, std::string expected, std::string found);
  // Whether faults are discarded, so that their text need not be made.
  bool in_trial() const { return trials_ > 0; }
  // Whether the rest of the value makes no difference.
  bool is_over() const { return stopped_ || trial_failed_ || faults_.size() >= kDataFaultsMax; }

  lua_State* state_;
  const LuaWriter::Names& names_;
  int names_index_;
  std::string& out_;
  std::size_t start_;  // of the value in the output
  std::vector<DataFault> faults_;
  std::size_t trials_ = 0;     // nested try_branch() calls: their faults are discarded
  bool trial_failed_ = false;  // the innermost one
  std::size_t empty_values_ = 0;
  bool stopped_ = false;  // the output is too large; nothing more is written
};

}  // namespace cairn

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "eventstore/json/json_cursor.h"
#include "schemaregistry/codec/data_fault.h"
#include "schemaregistry/codec/encode_program.h"
#include "schemaregistry/codec/encode_scalar.h"
#include "schemaregistry/codec/union_choice.h"

namespace cairn {

// Encodes one JSON value as Avro. Used once.
class EncodeRun {
 public:
  // REQUIRES: check_json() found no fault in `json`.
  EncodeRun(std::string_view json, UnionStyle style, std::string& to);

  // See JsonEncoder::encode().
  std::vector<DataFault> encode(const EncodeNode& root);

  // Of the encoded value: the depth of nested records, arrays and maps, and the number of values without
  // bytes.
  std::size_t deepest() const { return deepest_; }
  std::size_t empty_values() const { return empty_values_; }

  // The work so far: values visited, names compared, bytes scanned to choose types of unions.
  std::uint64_t steps() const { return budget_.steps(); }

 private:
  // The path from the root to a value. A linked list on the stack, so that it costs nothing until a fault is
  // reported.
  struct Place {
    const Place* up = nullptr;
    std::string_view name;
    std::size_t index = 0;
    bool is_index = false;
    std::size_t depth = 0;  // the number of enclosing records, arrays and maps

    Place member(std::string_view its_name) const { return {this, its_name, 0, false, depth + 1}; }
    // A value under the name of its type is no deeper: Avro does not encode the name.
    Place tagged(std::string_view tag) const { return {this, tag, 0, false, depth}; }
    Place element(std::size_t its_index) const { return {this, {}, its_index, true, depth + 1}; }
  };
  // The range of a record's field in the output.
  struct Slot {
    std::size_t field = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // Each moves `json` past the value, whether it fits or not.
  void value(const EncodeNode& node, JsonCursor& json, const Place& place);
  void record(const EncodeNode& node, JsonCursor& json, const Place& place);
  void put_fields_in_order(const EncodeNode& node, std::size_t start, std::size_t first_slot,
                           const Place& place);
  void array(const EncodeNode& node, JsonCursor& json, const Place& place);
  void map(const EncodeNode& node, JsonCursor& json, const Place& place);
  void one_of(const EncodeNode& node, JsonCursor& json, const Place& place);
  void one_of_objects(const EncodeNode& node, JsonCursor& json, const Place& place);

  // Encodes the value as the type at `index` of the union.
  void branch(const EncodeNode& node, int index, JsonCursor& json, const Place& place);

  // Ends a block of items that begins at `start`.
  void close_block(std::size_t start, std::size_t items);

  void paste_default(const EncodeField& field, const Place& place);
  // Stops the run when more was written than an event can hold.
  void check_size(const Place& place);

  // Reports that the value takes more work than it may, and stops the run.
  void too_much_work(const Place& place, std::string_view found);

  // Reports that the value is not of the type; cheap when the fault is discarded.
  void misfit(const Place& place, const EncodeNode& node, std::string_view found);
  void fault(const Place& place, std::string expected, std::string_view found);
  bool counts_only() const { return fault_count_ >= kDataFaultsMax; }

  std::string_view json_;
  UnionStyle style_;
  std::string& out_;
  std::vector<Slot> slots_;  // of the open records, the innermost last
  std::vector<DataFault> faults_;
  std::size_t fault_count_ = 0;  // including those that are not kept
  WorkBudget budget_;
  UnionChoice choice_;
  std::size_t open_unions_ = 0;  // whose objects are being encoded
  std::size_t start_ = 0;        // of the value in the output
  std::size_t empty_values_ = 0;
  std::size_t deepest_ = 0;
  bool stopped_ = false;  // the output is too large, or the work; nothing more is written
};

}  // namespace cairn

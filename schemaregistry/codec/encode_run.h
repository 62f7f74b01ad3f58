#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/json/json_cursor.h"
#include "schemaregistry/codec/data_fault.h"
#include "schemaregistry/codec/encode_program.h"

namespace cairn {

enum class UnionStyle {
  kPlainOrTagged,  // as clients write data
  kPlainInOrder,   // as schemas write defaults: the plain value, for the first type it fits
};

// Writes one JSON value as Avro. Used once.
class EncodeRun {
 public:
  // REQUIRES: check_json() found no fault in `json`.
  EncodeRun(std::string_view json, UnionStyle style, std::string& to);

  // See JsonEncoder::encode().
  std::vector<DataFault> encode(const EncodeNode& root);

  // Of what was written: how many records, arrays and maps stand in each other, and how many values take no
  // bytes.
  std::size_t deepest() const { return deepest_; }
  std::size_t empty_values() const { return empty_values_; }

 private:
  // The way from the top to a value. Lives on the stack, and costs nothing until a fault is told.
  struct Place {
    const Place* up = nullptr;
    std::string_view name;
    std::size_t index = 0;
    bool is_index = false;
    std::size_t depth = 0;  // how many records, arrays and maps are around

    Place member(std::string_view its_name) const { return {this, its_name, 0, false, depth + 1}; }
    // The value under a type's name is no deeper than without it: Avro's bytes do not have the name.
    Place tagged(std::string_view tag) const { return {this, tag, 0, false, depth}; }
    Place element(std::size_t its_index) const { return {this, {}, its_index, true, depth + 1}; }
  };
  // Where in the output a record's field came to stand.
  struct Slot {
    std::size_t field = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // Each moves `json` behind the value, whether it fits or not.
  void value(const EncodeNode& node, JsonCursor& json, const Place& place);
  void record(const EncodeNode& node, JsonCursor& json, const Place& place);
  void put_fields_in_order(const EncodeNode& node, std::size_t start, std::size_t first_slot,
                           const Place& place);
  void array(const EncodeNode& node, JsonCursor& json, const Place& place);
  void map(const EncodeNode& node, JsonCursor& json, const Place& place);
  void one_of(const EncodeNode& node, JsonCursor& json, const Place& place);
  void one_of_objects(const EncodeNode& node, JsonCursor& json, const Place& place);
  bool scalar(const EncodeNode& node, JsonKind kind, std::string_view raw);

  // The union's type to take for a value that is no object, or -1.
  int choose(const EncodeNode& node, JsonKind kind, std::string_view raw);
  // Writes the value as the union's type of that place.
  void branch(const EncodeNode& node, int index, JsonCursor& json, const Place& place);
  // The same; takes everything back and returns false when it does not fit.
  bool try_branch(const EncodeNode& node, int index, JsonCursor json, const Place& place);

  // Ends a block of items that begins at `start`.
  void close_block(std::size_t start, std::size_t items);

  void paste_default(const EncodeField& field, const Place& place);
  // Stops the run when more was written than an event can hold.
  void check_size(const Place& place);

  // The text of a string without its escapes; valid until the next call.
  std::string_view text_of(std::string_view raw);

  // Says that the value is none of the type; costs little where nobody will read it.
  void misfit(const Place& place, const EncodeNode& node, std::string_view found);
  void fault(const Place& place, std::string expected, std::string_view found);
  bool counts_only() const { return trials_ > 0 || fault_count_ >= kDataFaultsMax; }

  std::string_view json_;
  UnionStyle style_;
  std::string& out_;
  std::string scratch_;
  std::vector<Slot> slots_;  // of the records under way, the innermost last
  std::vector<DataFault> faults_;
  std::size_t fault_count_ = 0;  // also those that are not kept
  std::size_t steps_left_;
  std::size_t start_ = 0;   // of what is written, in the output
  std::size_t trials_ = 0;  // under way, each inside the one before: their faults are not kept
  std::size_t empty_values_ = 0;
  std::size_t deepest_ = 0;
  bool stopped_ = false;  // it is too large already; nothing more is written
};

}  // namespace cairn

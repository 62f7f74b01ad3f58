#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "eventstore/json/json_cursor.h"
#include "schemaregistry/codec/encode_program.h"
#include "schemaregistry/codec/encode_scalar.h"

namespace cairn {

// Decides which type of a union a JSON value is meant for: the first one that it fits, after the type that a
// tag names. An object that has the names of several types is tried with each of them, and so are its parts;
// each try is answered once for a type and a place in the text. Otherwise a value in which every level could
// be two types takes time exponential in its depth.
//
// For one value of one EncodeRun. Every try is charged to the budget; answers mean nothing once it has ended.
class UnionChoice {
 public:
  // REQUIRES: the budget outlives this.
  UnionChoice(UnionStyle style, WorkBudget& budget) : style_(style), budget_(budget) {}

  struct Object {
    int index = -1;          // of the type in the union; -1: none
    bool is_tagged = false;  // the value is the only member of the object
  };
  // For an object `depth` levels below the root. When it fits none of the types that have its names, the last
  // of these: its faults say more than the union's.
  Object for_object(const EncodeNode& node, const JsonCursor& json, std::size_t depth);

  // For a value that is not an object, written as `raw`: the index of the type, or -1.
  int for_value(const EncodeNode& node, JsonKind kind, std::string_view raw);

  // Frees the answers. Called when the outermost value of a union is encoded: no other asks for them.
  void forget();

 private:
  struct Question {
    const EncodeNode* node;
    const char* at;
    std::size_t depth;  // a name may be a tag or a field, so that one place has several depths
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct QuestionHash {
    std::size_t operator()(const Question& question) const {
      const std::size_t node = std::hash<const void*>()(question.node) >> 4;
      const std::size_t at = std::hash<const void*>()(question.at);
      return ((at * 64 + question.depth) * 0x9E3779B97F4A7C15u) ^ (node * 0xC2B2AE3D27D4EB4Fu);
    }
  };
  // An object or array that contains others; those without are as fast to scan as to look up.
  struct Extent {
    const char* begin = nullptr;
    const char* end = nullptr;
  };

  // Whether the value fits the type; moves `json` past it if it does.
  bool fits(const EncodeNode& node, JsonCursor& json, std::size_t depth);
  bool fits_scalar(const EncodeNode& node, JsonKind kind, std::string_view raw);
  bool fits_parts(const EncodeNode& node, JsonCursor& json, std::size_t depth);
  bool fits_record(const EncodeNode& node, JsonCursor& json, std::size_t depth);
  bool fits_default(const EncodeNode& node, std::size_t at, std::size_t depth);
  bool fits_union(const EncodeNode& node, JsonCursor& json, std::size_t depth);

  // Whether nothing follows the value in its object; moves past it.
  bool is_last_member(JsonCursor& value);
  std::vector<std::string> names_of(JsonCursor json);

  // Moves past the value without reading what is in it.
  void skip(JsonCursor& json);
  // nullptr for an object or array without others.
  const Extent* find_extent(const JsonCursor& json);
  std::vector<Extent> extents_of(std::string_view text);

  UnionStyle style_;
  WorkBudget& budget_;
  std::string scratch_;
  std::unordered_map<Question, bool, QuestionHash> answers_;
  std::unordered_map<const char*, std::vector<Extent>> extents_;  // by text, in the order of the text
};

}  // namespace cairn

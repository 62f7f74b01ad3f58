#pragma once

#include <string>

namespace cairn {

// A list of positions the index keeps: the events of one category, or of one type.
struct PostingTerm {
  enum class Kind : char { kCategory = 'c', kType = 't' };
  Kind kind;
  std::string name;
};

}  // namespace cairn

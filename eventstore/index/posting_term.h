#pragma once

#include <string>

namespace cairn {

// Names a posting list of the index: the positions of the events of one category, or of one type.
struct PostingTerm {
  enum class Kind : char { kCategory = 'c', kType = 't' };
  Kind kind;
  std::string name;
};

}  // namespace cairn

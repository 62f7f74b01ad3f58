#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// The one of `words` that is nearest to `word` by edit distance, for "did you mean"; "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace cairn

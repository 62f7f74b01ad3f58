#include "eventstore/base/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cairn {

namespace {

// Longer words are not compared: the distance takes time and memory by the product of the lengths.
constexpr std::size_t kComparedBytesMax = 40;

// The Damerau-Levenshtein distance: letters to add, drop, change or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(row, std::exchange(next, before));
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  if (word.size() > kComparedBytesMax) return "";
  std::string nearest;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;  // More edits are no typing error.
  for (const std::string& candidate : words) {
    // A prefix is an abbreviation of the whole word.
    const bool begun = word.size() > 1 && candidate.starts_with(word);
    const std::size_t far = begun ? 0 : edit_distance(word, candidate);
    if (far < best) {
      best = far;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace cairn

#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/seeded_hash.h"

namespace cairn {

// What a term of the index says of an event. The characters are on disk; see docs/format.md.
enum class TermKind : char {
  kCategory = 'c',     // of its stream
  kTag = 'g',          // one of its tags
  kCommand = 'm',      // the id of the command that it came from
  kCorrelation = 'r',  // metadata.correlationId
  kType = 't',         // its type
};

// In the order on disk.
inline constexpr std::array kTermKinds{TermKind::kCategory, TermKind::kTag, TermKind::kCommand,
                                       TermKind::kCorrelation, TermKind::kType};

constexpr std::size_t index_of(TermKind kind) {
  switch (kind) {
    case TermKind::kCategory:
      return 0;
    case TermKind::kTag:
      return 1;
    case TermKind::kCommand:
      return 2;
    case TermKind::kCorrelation:
      return 3;
    case TermKind::kType:
      break;
  }
  return 4;
}

// Ids are long, and mostly each is another one: the index has a digest of them. Two ids may have the same, so
// the event must be looked at.
constexpr bool is_digest(TermKind kind) {
  return kind == TermKind::kCommand || kind == TermKind::kCorrelation;
}
inline constexpr std::size_t kDigestBytes = 6;

// A term: its kind, and its name or digest. Ordered as on disk.
struct TermView {
  TermKind kind = TermKind::kCategory;
  std::string_view bytes;
  friend auto operator<=>(const TermView&, const TermView&) = default;
};

struct Term {
  TermKind kind = TermKind::kCategory;
  std::string bytes;
  TermView view() const { return {kind, bytes}; }
};

// For hash tables in memory.
inline std::uint64_t hash_of(const TermView& term) {
  return SeededHash{}(term.bytes) ^ (static_cast<std::uint64_t>(term.kind) * 0x9E3779B97F4A7C15);
}

}  // namespace cairn

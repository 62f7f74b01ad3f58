#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/siphash.h"
#include "eventstore/index/term.h"
#include "eventstore/types.h"

namespace cairn {

// metadata.correlationId if it is a string, or an empty view. `scratch` holds the text if it has escapes.
std::string_view correlation_of(std::string_view metadata, std::string& scratch);

// The bytes under which the index has an id.
using TermDigest = std::array<char, kDigestBytes>;
TermDigest digest_of(std::string_view id, const SipKey& key);

// A term of an event that does not follow from the names of its stream and type.
struct EventTerm {
  std::uint32_t event = 0;  // its index in the request, or in the block
  TermKind kind = TermKind::kTag;
  TermDigest digest{};     // if is_digest(kind)
  std::string_view name;   // otherwise
  std::uint64_t hash = 0;  // hash_of(view())

  TermView view() const {
    return {kind, is_digest(kind) ? std::string_view(digest.data(), digest.size()) : name};
  }
};

// What an event has beside its names, as a client appends it or as it is stored.
struct TermSource {
  std::uint32_t event = 0;
  std::string_view metadata;
  std::string_view command_id;
};

void add_tag_term(std::vector<EventTerm>& terms, std::uint32_t event, std::string_view tag);
void add_id_terms(std::vector<EventTerm>& terms, const TermSource& source, const SipKey& key);

// Adds the terms of one event to `terms`, each once. The names are views of the tags. `Tags` is a range of
// strings or views.
template <typename Tags>
void add_event_terms(std::vector<EventTerm>& terms, const TermSource& source, const Tags& tags,
                     const SipKey& key) {
  for (const auto& tag : tags) add_tag_term(terms, source.event, tag);
  add_id_terms(terms, source, key);
}

}  // namespace cairn

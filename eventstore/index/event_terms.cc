#include "eventstore/index/event_terms.h"

#include <cstring>

#include "eventstore/json/json_member.h"

namespace cairn {
namespace {

void add_id(std::vector<EventTerm>& terms, std::uint32_t event, TermKind kind, std::string_view id,
            const SipKey& key) {
  EventTerm& added =
      terms.emplace_back(EventTerm{.event = event, .kind = kind, .digest = digest_of(id, key)});
  added.hash = hash_of(added.view());
}

}  // namespace

std::string_view correlation_of(std::string_view metadata, std::string& scratch) {
  return string_member(metadata, "correlationId", scratch).value_or(std::string_view());
}

TermDigest digest_of(std::string_view id, const SipKey& key) {
  const std::uint64_t hash = siphash(key, id);
  TermDigest digest;
  std::memcpy(digest.data(), &hash, digest.size());
  return digest;
}

void add_tag_term(std::vector<EventTerm>& terms, std::uint32_t event, std::string_view tag) {
  for (auto known = terms.rbegin(); known != terms.rend() && known->event == event; ++known) {
    if (known->name == tag) return;  // a client may give a tag twice
  }
  EventTerm& added = terms.emplace_back(EventTerm{.event = event, .kind = TermKind::kTag, .name = tag});
  added.hash = hash_of(added.view());
}

void add_id_terms(std::vector<EventTerm>& terms, const TermSource& source, const SipKey& key) {
  std::string scratch;
  if (!source.metadata.empty()) {
    const std::string_view correlation = correlation_of(source.metadata, scratch);
    if (!correlation.empty()) add_id(terms, source.event, TermKind::kCorrelation, correlation, key);
  }
  if (!source.command_id.empty()) add_id(terms, source.event, TermKind::kCommand, source.command_id, key);
}

}  // namespace cairn

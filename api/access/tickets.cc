#include "api/access/tickets.h"

#include <openssl/crypto.h>

#include <iterator>
#include <utility>

#include "api/access/new_token.h"

namespace cairn::api {

namespace {

std::string holder_of(const std::shared_ptr<const Token>& token) { return token ? token->name : ""; }

}  // namespace

Tickets::Tickets(Limits limits, Now now) : limits_(limits), now_(std::move(now)) {}

Result<std::string, Tickets::Refusal> Tickets::issue(std::shared_ptr<const Token> token,
                                                     std::string_view target) {
  auto text = new_secret("ticket_");
  if (!text) return Refusal::kNoRandom;
  Ticket ticket{.hash = sha256(*text),
                .target = sha256(target),
                .token = std::move(token),
                .uses = 0,
                .expires_at = {}};
  const MutexLock lock(mutex_);
  drop_expired();
  if (by_hash_.size() >= limits_.all) return Refusal::kFull;
  std::size_t& of_token = of_token_[holder_of(ticket.token)];
  if (of_token >= limits_.per_token) return Refusal::kOverShare;
  ++of_token;
  ticket.expires_at = now_() + kValidFor;
  idle_.push_back(std::move(ticket));
  const auto added = std::prev(idle_.end());
  by_hash_.emplace(added->hash, added);
  return *std::move(text);
}

// The search compares hashes: how long it takes tells something about the hash of a guess, and nothing about
// the tickets there are. The target is compared in constant time.
std::optional<Tickets::Found> Tickets::use(std::string_view ticket, std::string_view target) {
  const Sha256 hash = sha256(ticket);
  const Sha256 wanted = sha256(target);
  const MutexLock lock(mutex_);
  drop_expired();
  const auto entry = by_hash_.find(hash);
  if (entry == by_hash_.end()) return std::nullopt;
  const List::iterator found = entry->second;
  if (CRYPTO_memcmp(found->target.data(), wanted.data(), wanted.size()) != 0) return std::nullopt;
  if (found->uses++ == 0) in_use_.splice(in_use_.end(), idle_, found);
  return Found{.token = found->token,
               .use = std::shared_ptr<const void>(&*found, [this, found](const void*) { end_use(found); })};
}

void Tickets::end_use(List::iterator ticket) {
  const MutexLock lock(mutex_);
  if (--ticket->uses > 0) return;
  ticket->expires_at = now_() + kValidFor;
  idle_.splice(idle_.end(), in_use_, ticket);
}

std::size_t Tickets::size() {
  const MutexLock lock(mutex_);
  drop_expired();
  return by_hash_.size();
}

void Tickets::drop_expired() {
  const auto now = now_();
  while (!idle_.empty() && idle_.front().expires_at <= now) {
    const Ticket& expired = idle_.front();
    by_hash_.erase(expired.hash);
    const auto of_token = of_token_.find(holder_of(expired.token));
    if (--of_token->second == 0) of_token_.erase(of_token);
    idle_.pop_front();
  }
}

}  // namespace cairn::api

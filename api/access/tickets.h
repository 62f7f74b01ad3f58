#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/access/token_file.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// Tickets let a page of a browser follow events with EventSource, which cannot send a token. A ticket stands
// for the token that it was issued to, for one target, and for a short time: until kValidFor after it was
// issued, while it is in use, and until kValidFor after its last use has ended, so that EventSource can
// reconnect with it. Tickets are in memory only, as hashes. Thread-safe.
class Tickets {
 public:
  static constexpr std::chrono::seconds kValidFor{60};

  struct Limits {
    std::size_t all = 32'768;  // about 10 MiB
    std::size_t per_token = 8'192;
  };

  using Now = std::function<std::chrono::steady_clock::time_point()>;

  enum class Refusal {
    kOverShare,  // the token has Limits::per_token valid tickets
    kFull,       // there are Limits::all valid tickets
    kNoRandom,   // the operating system has no random bytes
  };

  // What a valid ticket stands for.
  struct Found {
    std::shared_ptr<const Token> token;  // nullptr when it was issued without one
    std::shared_ptr<const void> use;     // while a copy exists, the ticket is in use
  };

  Tickets() : Tickets(Limits()) {}
  explicit Tickets(Limits limits, Now now = &std::chrono::steady_clock::now);
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  // Issues a ticket: `ticket_` and 43 characters that need no escapes in a query. `token` is nullptr where
  // clients need none.
  Result<std::string, Refusal> issue(std::shared_ptr<const Token> token, std::string_view target);

  // Begins a use of the ticket. nullopt when it is unknown, has expired, or is for another target. The caller
  // checks that the token is in force. REQUIRES: this object outlives the use.
  std::optional<Found> use(std::string_view ticket, std::string_view target);

  // How many are valid.
  std::size_t size();

 private:
  struct Ticket {
    Sha256 hash{};    // of the ticket
    Sha256 target{};  // its hash
    std::shared_ptr<const Token> token;
    std::size_t uses = 0;
    std::chrono::steady_clock::time_point expires_at;  // when it is not in use
  };
  using List = std::list<Ticket>;

  void drop_expired() CAIRN_REQUIRES(mutex_);
  void end_use(List::iterator ticket) CAIRN_EXCLUDES(mutex_);

  const Limits limits_;
  const Now now_;
  Mutex mutex_;
  List idle_ CAIRN_GUARDED_BY(mutex_);  // ordered by expires_at
  List in_use_ CAIRN_GUARDED_BY(mutex_);
  std::map<Sha256, List::iterator> by_hash_ CAIRN_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> of_token_ CAIRN_GUARDED_BY(mutex_);  // how many are valid, by token name
};

}  // namespace cairn::api

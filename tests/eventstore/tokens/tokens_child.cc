// Opens a store, prints its history, and then fencing tokens with its epoch, one a line, until it is killed.
//
//   tokens_child FOLDER CLOCK_MICROS

#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "eventstore/tokens/fencing_tokens.h"
#include "tests/support/small_store.h"

int main(int argc, char** argv) {
  using namespace cairn;
  if (argc < 3) return 2;
  ::alarm(120);
  const Clock clock = [now = std::atoll(argv[2])] { return Timestamp{now}; };
  StoreOptions options = test::small_store();
  options.clock = clock;
  auto store = EventStore::open(argv[1], options);
  if (!store.ok()) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  const auto say = [](const std::string& line) {
    const std::string whole = line + "\n";
    if (::write(STDOUT_FILENO, whole.data(), whole.size()) < 0) std::_Exit(3);
  };
  const auto history = (*store)->history_id();
  if (!history.ok()) return 1;
  say(*history);
  constexpr std::uint64_t kChunk = 20;
  FencingTokens tokens(**store, clock, kChunk);
  for (;;) {
    const auto token = tokens.next();
    const auto epoch = (*store)->claim_epoch();
    if (!token.ok() || !epoch.ok()) return 1;
    say(std::to_string(token->value) + " " + std::to_string(*epoch));
  }
}

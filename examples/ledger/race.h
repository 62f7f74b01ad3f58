#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "auditor.h"

namespace ledger {

struct RaceSettings {
  std::vector<std::string> accounts;
  unsigned threads = 4;
  std::uint64_t transfers = 400;  // attempted
  std::uint64_t look_every = 100;
};

struct RaceReport {
  std::uint64_t done = 0;
  std::uint64_t refused = 0;        // for lack of funds
  std::uint64_t decided_again = 0;  // after a version conflict
};

// Independent threads move random amounts between random accounts. Every so many transfers the auditor checks
// the sum, and `looked` is called.
cairn::Result<RaceReport> race(cairn::EventStore& store, Auditor& auditor, const RaceSettings& settings,
                               const std::function<void()>& looked);

}  // namespace ledger

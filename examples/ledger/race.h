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
  std::uint64_t transfers = 400;  // that are tried
  std::uint64_t look_every = 100;
};

struct RaceReport {
  std::uint64_t done = 0;
  std::uint64_t refused = 0;        // for want of funds
  std::uint64_t decided_again = 0;  // because another thread was there first
};

// Threads that know nothing of each other move random amounts between random accounts. Meanwhile, every so
// many transfers, the auditor looks, and `looked` is told.
cairn::Result<RaceReport> race(cairn::EventStore& store, Auditor& auditor, const RaceSettings& settings,
                               const std::function<void()>& looked);

}  // namespace ledger

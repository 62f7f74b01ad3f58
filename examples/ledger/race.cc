#include "race.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "transfer.h"

namespace ledger {
namespace {

constexpr std::int64_t kRaceCentsMax = 500'00;

// The work of one thread, with its own random generator and accounts.
cairn::Result<RaceReport> make_transfers(cairn::EventStore& store, const RaceSettings& settings,
                                         unsigned seed, std::atomic<std::uint64_t>& tried) {
  std::mt19937 random(seed);
  std::vector<Account> accounts;
  for (const std::string& name : settings.accounts) accounts.push_back({name});
  RaceReport report;
  while (tried++ < settings.transfers) {
    const std::size_t from = random() % accounts.size();
    const std::size_t to = (from + 1 + random() % (accounts.size() - 1)) % accounts.size();
    const auto cents = static_cast<std::int64_t>(1 + random() % kRaceCentsMax);
    const auto receipt = transfer(store, accounts[from], accounts[to], cents);
    if (receipt.ok()) {
      ++report.done;
      report.decided_again += static_cast<std::uint64_t>(receipt->decisions - 1);
    } else if (!accounts[from].can_pay(cents)) {
      ++report.refused;
    } else {
      return receipt.error();
    }
  }
  return report;
}

}  // namespace

cairn::Result<RaceReport> race(cairn::EventStore& store, Auditor& auditor, const RaceSettings& settings,
                               const std::function<void()>& looked) {
  const auto start = static_cast<unsigned>(store.head().value);  // another race each time
  std::atomic<std::uint64_t> tried = 0;
  std::atomic<unsigned> running = settings.threads;
  std::vector<cairn::Result<RaceReport>> reports(settings.threads, RaceReport{});
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < settings.threads; ++i) {
    threads.emplace_back([&, i] {
      reports[i] = make_transfers(store, settings, start + i, tried);
      --running;
    });
  }

  cairn::Status audit;
  cairn::GlobalPosition next_look{store.head().value + 2 * settings.look_every};
  while (audit.ok() && running > 0) {
    if (!store.wait_for(next_look, std::chrono::milliseconds(50))) continue;
    audit = auditor.look();
    if (audit.ok()) looked();
    next_look.value += 2 * settings.look_every;
  }
  if (!audit.ok()) tried = settings.transfers;
  threads.clear();
  CAIRN_CHECK(audit);

  RaceReport sum;
  for (const auto& report : reports) {
    CAIRN_CHECK(report);
    sum.done += report->done;
    sum.refused += report->refused;
    sum.decided_again += report->decided_again;
  }
  return sum;
}

}  // namespace ledger

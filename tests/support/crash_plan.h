#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"

// Writers that may be killed at any moment, and the parent process that checks the log afterwards.
namespace cairn::test {

inline constexpr std::uint32_t kCrashWriters = 8;

// One append of one writer. All of its content is derived from these numbers.
struct CrashOp {
  std::uint32_t cycle = 0;
  std::uint32_t writer = 0;
  std::uint32_t number = 0;
  std::uint64_t own_version = 0;  // what the writer thinks of its own stream
  std::uint64_t hot_version = 0;  // and of the stream all fight for

  AppendRequest request() const;
  // "I cycle writer number own hot"
  std::string intent() const;
  static std::optional<CrashOp> parse_intent(const std::string& line);

  auto key() const { return std::tuple(cycle, writer, number); }
};

// The answer's line: "A cycle writer number first-version first-position …" for each stream, "C …" for a
// conflict, "F … code message" for anything else.
std::string answer_line(const CrashOp& op, const Result<AppendResult>& result);

// All appends that were sent and answered, over many crashes on one folder.
class CrashHistory {
 public:
  // Reads one line of a writer process. "R position number" is of its reader: the event with that number was
  // shown at that position.
  void hear(const std::string& line);
  // The disk is about to fail: from now on whether a failed append is stored is unknown, and no fault.
  void expect_failures() { failures_expected_ = true; }
  void record(const CrashOp& op, const Result<AppendResult>& result);

  std::vector<CrashOp> unanswered() const;
  std::size_t acknowledged() const { return acknowledged_; }

  // Compares a log with the history; "" or the first violated invariant:
  //   C1 no acknowledged event lost    C2 no duplicate    C3 no phantom    C4 whole batches
  //   C5 contiguous versions           C6 gapless positions       C7 nothing that was shown is missing
  std::string broken_promise(const std::vector<Event>& log) const;

 private:
  enum class Outcome { kUnknown, kApplied, kRefused };
  struct Entry {
    CrashOp op;
    Outcome outcome = Outcome::kUnknown;
    std::vector<std::pair<std::uint64_t, std::uint64_t>>
        numbers;  // first version and position of each stream
  };
  std::string check_entry(const Entry& entry, const std::map<Uuid, const Event*>& by_id) const;

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Entry> entries_;
  std::map<std::uint64_t, std::uint64_t> shown_;  // position -> number of the event that was read there
  std::string fault_;
  bool failures_expected_ = false;
  std::size_t acknowledged_ = 0;
};

}  // namespace cairn::test

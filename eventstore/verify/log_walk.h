#pragma once

#include <functional>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/index.h"
#include "eventstore/log/block_log.h"
#include "eventstore/verify.h"
#include "eventstore/verify/expected_index.h"
#include "eventstore/verify/findings.h"

namespace cairn {

// Reads the log from its first block on and checks checksums, the hash chain, positions, versions and back
// pointers. Continues after damage as far as blocks can be found. Not thread-safe.
class LogWalk {
 public:
  LogWalk(BlockSource& log, const Uuid& store_id, const ExpectedIndex::Basis& basis, VerifyReport& report,
          const VerifyProgress& progress);

  // Continues up to `to`, or to the end of the log if that comes first. Fails only when the log cannot be
  // opened, when a newer program wrote it, or when the progress callback cancels the verification.
  Status walk_to(GlobalPosition to);

  ExpectedIndex& expected() { return expected_; }

  // Whether every block so far was readable and continued the previous one.
  bool unbroken() const { return unbroken_; }

  // Called for each event.
  std::function<void(const StoredEvent&)> on_event;
  VerifyVisitor visit;

 private:
  void check_block(const RawBlock& raw);
  void check_order(const RawBlock& raw, const std::string& name);
  void check_event(const StoredEvent& stored);
  void break_off(std::string place, std::string what);

  BlockSource& log_;
  VerifyReport& report_;
  const VerifyProgress& progress_;
  Findings findings_;
  ExpectedIndex expected_;
  BlockReader block_;
  LogPlace end_;  // of the blocks so far; behind a damaged one, a place inside it
  GlobalPosition log_end_;
  std::optional<Sha256> hash_;  // of the previous block, if that was readable
  bool unbroken_ = true;
  std::optional<Error> refused_;  // a newer program wrote the log
};

}  // namespace cairn

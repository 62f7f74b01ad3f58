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

// Walks the whole log from its first block, checks everything that can be checked, and goes on after damage
// as far as the blocks can still be found.
class LogWalk {
 public:
  LogWalk(BlockLog& log, const Uuid& store_id, VerifyReport& report, const VerifyProgress& progress);

  // Walks on until `to`, or the end of the log, whichever comes first. Fails only when nothing can be read,
  // or the progress gave up.
  Status walk_to(GlobalPosition to);

  ExpectedIndex& expected() { return expected_; }

  // Whether every block so far could be read and followed the one before.
  bool unbroken() const { return unbroken_; }

  // Called for each event walked over.
  std::function<void(const StoredEvent&)> on_event;

 private:
  void check_block(const RawBlock& raw);
  void check_event(const StoredEvent& stored);
  void break_off(std::string place, std::string what);

  BlockLog& log_;
  VerifyReport& report_;
  const VerifyProgress& progress_;
  Findings findings_;
  ExpectedIndex expected_;
  BlockReader block_;
  GlobalPosition next_{1};
  GlobalPosition log_end_;
  std::optional<Sha256> hash_;  // of the block before, when it could be read
  bool unbroken_ = true;
};

}  // namespace cairn

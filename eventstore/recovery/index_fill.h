#pragma once

#include <memory>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/term_table.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// Brings the terms of an index that version 0.1 wrote up to date: reads the log from its start, some blocks at a
// time, and adds runs to the index (Index::fill()) until they have all events that the posting lists have. Used
// by the thread that flushes.
class IndexFill {
 public:
  IndexFill(BlockSource& log, Index& index) : log_(log), index_(index) {}

  // Reads blocks for some milliseconds, and writes a run when enough is in memory. False when the index is
  // complete. After a failure it may be called again.
  Result<bool> step();

 private:
  Status read_some();

  BlockSource& log_;
  Index& index_;
  std::unique_ptr<TermTable> terms_;  // of the events behind Index::progress().done
  GlobalPosition read_through_;
};

}  // namespace cairn

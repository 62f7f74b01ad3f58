#pragma once

#include <optional>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/head_signal.h"
#include "eventstore/queries.h"

namespace cairn {

// The reads of EventStore; see there for the contract of each call. Every call opens short read transactions
// of its own and copies what it returns, so a page that a caller keeps does not keep LMDB from reusing old
// pages. Thread-safe.
class Reader {
 public:
  Reader(BlockSource& log, const Tail& tail, const Index& index, const HeadSignal& news)
      : log_(log), tail_(tail), index_(index), news_(news) {}

  Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) const;
  Result<LogPage> read_log(const LogQuery& query) const;
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) const;
  Result<std::optional<StreamInfo>> stream_info(std::string_view stream) const;
  Result<GlobalPosition> first_recorded_at(Timestamp time) const;
  Result<CountList> count_terms(const CountQuery& query) const;
  Status verify(AppendCondition& condition, WorkBudget* budget) const;
  bool verify_in_memory(AppendCondition& condition) const;
  Result<StreamList> list_streams(const StreamListQuery& query) const;

 private:
  Result<LogPage> read_filtered(const LogQuery& query, const EventQuery& items, GlobalPosition head) const;

  BlockSource& log_;
  const Tail& tail_;
  const Index& index_;
  const HeadSignal& news_;
};

}  // namespace cairn

#pragma once

#include <optional>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/news_board.h"

namespace cairn {

// The reading half of EventStore; see there for what each call promises. Every call opens its own short
// transactions and copies what it returns, so nothing a caller keeps holds the store's files back. Any
// thread.
class Reader {
 public:
  Reader(BlockLog& log, const Tail& tail, const Index& index, const NewsBoard& news)
      : log_(log), tail_(tail), index_(index), news_(news) {}

  Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) const;
  Result<LogPage> read_log(const LogQuery& query) const;
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) const;
  Result<std::optional<StreamInfo>> stream_info(std::string_view stream) const;
  Result<StreamList> list_streams(const StreamListQuery& query) const;

 private:
  Result<LogPage> read_filtered(const LogQuery& query, GlobalPosition head, std::uint64_t from) const;

  BlockLog& log_;
  const Tail& tail_;
  const Index& index_;
  const NewsBoard& news_;
};

}  // namespace cairn

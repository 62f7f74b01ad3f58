#pragma once

#include <optional>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"

namespace cairn {

// Looks up the newest stream heads, in the tail and then in the index. One read transaction serves many
// lookups; release() ends it. Not thread-safe.
//
// find() asks the current tail first. A head that has left the tail since the read transaction began is in
// the tail snapshot, which was taken before the transaction; so every head is found in one of the three.
class StreamHeads {
 public:
  StreamHeads(const Tail& tail, const Index& index) : tail_(tail), index_(index) {}

  // Copies the stream's head to `head`; head.exists() is false when there is no such stream. The caller
  // provides the memory, because the writer thread calls this for every event.
  Status find(const HashedName& stream, StreamHead& head) {
    if (tail_.find(stream, head)) return {};
    if (!reader_) {
      snapshot_ = tail_.snapshot();
      CAIRN_TRY(auto reader, index_.read());
      reader_.emplace(std::move(reader));
    } else if (tail_.find_in(snapshot_, stream, head)) {
      return {};
    }
    CAIRN_TRY(auto found, reader_->find(stream.text));
    head = found ? *std::move(found) : StreamHead{};
    return {};
  }

  void release() {
    reader_.reset();
    snapshot_ = {};
  }

 private:
  const Tail& tail_;
  const Index& index_;
  Tail::Snapshot snapshot_;
  std::optional<IndexReader> reader_;
};

// The same for a single lookup; nullopt when there is no such stream.
inline Result<std::optional<StreamHead>> find_stream(const Tail& tail, const Index& index,
                                                     std::string_view stream) {
  StreamHead head;
  CAIRN_CHECK(StreamHeads(tail, index).find(stream, head));
  return head.exists() ? std::optional(std::move(head)) : std::nullopt;
}

}  // namespace cairn

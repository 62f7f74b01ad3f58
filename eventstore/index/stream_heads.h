#pragma once

#include <optional>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"

namespace cairn {

// The newest state of streams, from the tail if they are there, else from the index. One read transaction
// serves many lookups; release() lets go of it. Belongs to one thread.
//
// The tail is asked first, always as it is now. What has left it since the transaction began is in the
// snapshot, which was taken before; so nothing falls between the two.
class StreamHeads {
 public:
  StreamHeads(const Tail& tail, const Index& index) : tail_(tail), index_(index) {}

  // nullopt when there is no such stream.
  Result<std::optional<StreamHead>> find(std::string_view stream) {
    if (auto head = tail_.find(stream)) return head;
    if (!reader_) {
      snapshot_ = tail_.snapshot();
      CAIRN_TRY(auto reader, index_.read());
      reader_.emplace(std::move(reader));
    } else if (auto head = tail_.find_in(snapshot_, stream)) {
      return head;
    }
    return reader_->find(stream);
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

// The same for a single question.
inline Result<std::optional<StreamHead>> find_stream(const Tail& tail, const Index& index,
                                                     std::string_view stream) {
  return StreamHeads(tail, index).find(stream);
}

}  // namespace cairn

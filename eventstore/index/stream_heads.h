#pragma once

#include <optional>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"

namespace cairn {

// The newest state of a stream, from the tail if it is there, else from the index; nullopt when there is no
// such stream. The index is opened only after the tail was asked: what the flusher takes from the tail it has
// written before.
inline Result<std::optional<StreamHead>> find_stream(const Tail& tail, const Index& index,
                                                     std::string_view stream) {
  if (auto head = tail.find(stream)) return head;
  CAIRN_TRY(const IndexReader reader, index.read());
  return reader.find(stream);
}

}  // namespace cairn

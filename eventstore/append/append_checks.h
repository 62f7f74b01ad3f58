#pragma once

#include <span>

#include "eventstore/append/pending_state.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// Decides whether an append that is no repeat may be stored: makes its checks in the order of AppendCheck, and
// fails with the first that does not hold, which Error::check names.
//   kVersionConflict   a stream is at another version: the client decides again
//   kConditionFailed   an event stands in the way: likewise
//   kStale             what the request was checked against has changed, or the writer thread would have to read
//                      the disk to tell: the caller's thread checks the request again and sends it again
//
// A check compares numbers and looks into memory. It runs no script, decodes no data and reads no disk page: it
// asks PendingState for what is in memory, and has stream heads that were looked up before.
// REQUIRES: `streams` are those of the request, in its order.
Status check(const AppendRequest& request, std::span<PendingState::Stream* const> streams,
             PendingState& state);

}  // namespace cairn

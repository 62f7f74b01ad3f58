#pragma once

#include "eventstore/format/stored_event.h"
#include "eventstore/index/server_id.h"

namespace cairn {

// Whether the index has the id of this event: the client chose it, or the store did before its ids named their
// position and the index has those (Index::has_plain_server_ids()).
inline bool id_is_indexed(const StoredEvent& stored, bool plain_server_ids) {
  if (!stored.store_made_id) return true;
  return plain_server_ids && server_id::named_position(stored.event.id) != stored.event.position;
}

}  // namespace cairn

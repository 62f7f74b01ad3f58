#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/types.h"

namespace cairn {

// The state that a client folded from the first `version` events of a stream, so that the next fold begins
// there. The bytes are opaque to the store.
struct SnapshotRecord {
  std::string stream;
  StreamVersion version;
  std::string bytes;
};

// Names one snapshot.
struct SnapshotKey {
  std::string stream;
  StreamVersion version;
};

// The snapshots found at or below a version.
struct SnapshotSearch {
  std::optional<SnapshotRecord> newest;  // the newest readable one
  std::vector<StreamVersion> damaged;    // newer ones that are damaged, falling
};

struct SnapshotInfo {
  StreamVersion version;
  std::uint64_t bytes = 0;
  bool damaged = false;  // treated as absent
};

struct SnapshotStreamsQuery {
  std::string category;  // empty = all
  std::string after;     // names strictly greater than this
  std::size_t limit = 100;
};

struct SnapshotStream {
  std::string stream;
  std::uint64_t snapshots = 0;
  StreamVersion newest;
  std::uint64_t bytes = 0;  // of all its snapshots
};

struct SnapshotStreams {
  std::vector<SnapshotStream> streams;  // in byte order of their names
  std::optional<std::string> next;      // pass as `after` for the next page; nullopt on the last one
};

}  // namespace cairn

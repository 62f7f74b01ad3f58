#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/types.h"

namespace cairn {

// What somebody made of the first `version` events of a stream, to begin there the next time. The store keeps
// the bytes and does not look into them.
struct SnapshotRecord {
  std::string stream;
  StreamVersion version;
  std::string bytes;
};

// Which snapshot is meant.
struct SnapshotKey {
  std::string stream;
  StreamVersion version;
};

// What was found at or below a version.
struct SnapshotSearch {
  std::optional<SnapshotRecord> newest;  // that could be read
  std::vector<StreamVersion> damaged;    // those above it that could not, falling
};

struct SnapshotInfo {
  StreamVersion version;
  std::uint64_t bytes = 0;
  bool damaged = false;  // it counts as not being there
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
  std::uint64_t bytes = 0;  // of all of them
};

struct SnapshotStreams {
  std::vector<SnapshotStream> streams;  // in byte order of their names
  std::optional<std::string> next;      // pass as `after` to go on; nullopt when there are no more
};

}  // namespace cairn

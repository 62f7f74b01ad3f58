#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// A saved row has at most this many bytes.
inline constexpr std::size_t kRowBytesMax = 1u << 20;

// A row's key has at most this many bytes, and is UTF-8 without control characters.
inline constexpr std::size_t kRowKeyBytesMax = 400;

// Where events are parked: at a row's key, or at a stream when an event failed before its key was known.
struct ParkedPlace {
  enum class By : std::uint8_t { kKey, kStream };
  By by = By::kKey;
  std::string name;  // the key, or the stream's name
  friend auto operator<=>(const ParkedPlace&, const ParkedPlace&) = default;
};

// The event that could not be applied, and why. Later events of the place wait behind it.
struct ParkedEvent {
  GlobalPosition position;
  std::string kind;        // "script", "limit", "data", "schema", "row"
  std::string message;     // human-readable, one line
  std::uint32_t line = 0;  // of the script; 0: none
  Timestamp parked_at;
  std::uint32_t retries = 0;  // that failed
};

struct ParkedEntry {
  ParkedPlace place;
  ParkedEvent event;
  std::uint64_t waiting = 0;  // events, including the one that failed
};

// The changes of one commit. The views must live until commit() returns. A parked event is itself the first
// waiting event of its place: events with lower positions no longer wait there.
struct ReadModelChange {
  struct Row {
    std::string_view key;
    std::string_view saved;  // empty: the row is deleted
  };
  struct Waiting {
    const ParkedPlace* place;
    GlobalPosition position;
  };

  GlobalPosition through;                    // the checkpoint: events up to here are in the rows or parked
  std::uint64_t passed_over = 0;             // events through the checkpoint that belong to no row
  std::vector<Row> rows;                     // in ascending key order, each key once
  std::vector<const ParkedPlace*> released;  // applied first: entries and waiting events are removed
  std::vector<std::pair<const ParkedPlace*, const ParkedEvent*>> parked;  // second: created or replaced
  std::vector<Waiting> waiting;  // third: added, unless they wait already
};

struct SavedRow {
  std::string key;
  std::string saved;
};

struct SavedRows {
  GlobalPosition position;  // the checkpoint of these rows
  std::vector<SavedRow> rows;
  std::optional<std::string> next;  // `after` of the next page; nullopt: this is the last
};

struct SavedRowsQuery {
  std::string prefix;
  std::string after;  // keys strictly greater than this; empty = from the first
  std::size_t limit = 100;
  std::size_t bytes_max = 16u << 20;  // the page ends after the row that exceeds it
};

// Identity of a read model. Written once, when it is created.
struct ReadModelIdentity {
  std::string projection;
  std::uint64_t generation = 0;
  std::string fingerprint;  // of the projection that builds it
  std::string source;       // its script; empty for a native (C++) projection
  std::string store_id;     // the event store whose events it is built from
  Timestamp made_at;
};

struct ReadModelSize {
  std::uint64_t rows = 0;
  std::uint64_t passed_over = 0;  // ReadModelChange::passed_over of the last commit
  std::uint64_t bytes = 0;        // used space of the files
};

// One generation of a projection's rows, with their checkpoint and the parked events (docs/decisions.md,
// "Rows live in memory and are committed with the checkpoint"). Commits are atomic, also across a crash.
// Reads are thread-safe; one thread at a time may commit.
class ReadModel {
 public:
  virtual ~ReadModel() = default;

  virtual const ReadModelIdentity& identity() const = 0;

  // Makes a change durable. kDiskFull and kOverloaded: nothing was changed, and the caller may retry.
  // kTooLarge and kInvalidArgument (a key that is empty or too long, a checkpoint that goes back, an event
  // that should wait where no earlier event is parked): nothing was changed. After any other failure it has
  // to be reopened.
  virtual Status commit(const ReadModelChange& change) = 0;

  // The checkpoint of the last commit.
  virtual Result<GlobalPosition> checkpoint() = 0;

  // Calls `found` for each key, in the given order, with the saved row or "" when there is none. The bytes
  // live until it returns. All rows are of one commit. Ascending keys are the fastest. REQUIRES: `found` does
  // not commit.
  virtual Status load(const std::vector<std::string_view>& keys,
                      const std::function<void(std::size_t index, std::string_view saved)>& found) = 0;

  // One row with its checkpoint, or a page of rows; each as of one commit.
  virtual Result<std::pair<GlobalPosition, std::optional<std::string>>> row(std::string_view key) = 0;
  virtual Result<SavedRows> rows(const SavedRowsQuery& query) = 0;

  // Parked entries in ascending order of place, at most `limit` behind `after`.
  virtual Result<std::vector<ParkedEntry>> parked(const std::optional<ParkedPlace>& after,
                                                  std::size_t limit) = 0;
  virtual Result<std::optional<ParkedEntry>> find_parked(const ParkedPlace& place) = 0;
  // The waiting positions of a place in ascending order, at most `limit` from `from` on.
  virtual Result<std::vector<GlobalPosition>> waiting(const ParkedPlace& place, GlobalPosition from,
                                                      std::size_t limit) = 0;

  virtual Result<ReadModelSize> size() = 0;
};

}  // namespace cairn

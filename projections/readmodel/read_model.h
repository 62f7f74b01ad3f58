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
#include "projections/readmodel/row_limits.h"

namespace cairn {

// What events wait behind: a row's key, or a stream when an event failed before its key was known.
struct ParkedPlace {
  enum class By : std::uint8_t { kKey, kStream };
  By by = By::kKey;
  std::string name;  // the key, or the stream's name
  friend auto operator<=>(const ParkedPlace&, const ParkedPlace&) = default;
};

// The event that could not be applied, and why. Those behind it wait.
struct ParkedEvent {
  GlobalPosition position;
  std::string kind;        // "script", "limit", "data", "schema", "row"
  std::string message;     // for people, one line
  std::uint32_t line = 0;  // of the script; 0 where there is none
  Timestamp parked_at;
  std::uint32_t retries = 0;  // how often it was tried again and failed
};

struct ParkedEntry {
  ParkedPlace place;
  ParkedEvent event;
  std::uint64_t waiting = 0;  // events, with the one that failed
};

// What one commit changes. The views live until commit() returns. An event that is parked waits itself, as
// the first of those that do: what waited at its place before its position does no more.
struct ReadModelChange {
  struct Row {
    std::string_view key;
    std::string_view saved;  // empty: the row goes away
  };
  struct Waiting {
    const ParkedPlace* place;
    GlobalPosition position;
  };

  GlobalPosition through;                    // the checkpoint: events up to here are in the rows, or parked
  std::vector<Row> rows;                     // rising by key, each key once
  std::vector<const ParkedPlace*> released;  // first: their entries and all that waits there go away
  std::vector<std::pair<const ParkedPlace*, const ParkedEvent*>> parked;  // then: made, or replaced
  std::vector<Waiting> waiting;  // then: added to those that wait, unless they do already
};

struct SavedRow {
  std::string key;
  std::string saved;
};

struct SavedRows {
  GlobalPosition position;  // the checkpoint these rows go with
  std::vector<SavedRow> rows;
  std::optional<std::string> next;  // pass as `after` to go on; nullopt when there are no more
};

struct SavedRowsQuery {
  std::string prefix;
  std::string after;  // keys strictly greater than this; empty = from the first
  std::size_t limit = 100;
  std::size_t bytes_max = 16u << 20;  // the page ends early behind the row that exceeds it
};

// What a read model knows of itself. Written once, when it is made.
struct ReadModelIdentity {
  std::string projection;
  std::uint64_t generation = 0;
  std::string fingerprint;  // of the projection that makes it
  std::string source;       // its script; empty for one of the program's own
  std::string store_id;     // the event store whose events it is made of
  Timestamp made_at;
};

struct ReadModelSize {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // of the files in use
};

// One generation of a projection's rows, with the place in the log they stand for and what is parked. All of
// a commit is there after a crash, or nothing of it. Any thread may read; one at a time commits.
class ReadModel {
 public:
  virtual ~ReadModel() = default;

  virtual const ReadModelIdentity& identity() const = 0;

  // Makes a change durable. kDiskFull and kOverloaded: nothing was changed, and it may be tried again.
  // kTooLarge and kInvalidArgument (a key that is empty or too long, a checkpoint that goes back, an event
  // that is to wait where nothing before it is parked): nothing was changed. Any other failure: it has to be
  // opened anew.
  virtual Status commit(const ReadModelChange& change) = 0;

  // The checkpoint of the last commit.
  virtual Result<GlobalPosition> checkpoint() = 0;

  // Calls `found` for each key, in their order: with what was saved, or "" where there is no row. The bytes
  // live until it returns. All are of one commit. Rising keys are the fastest. REQUIRES: `found` does not
  // commit.
  virtual Status load(const std::vector<std::string_view>& keys,
                      const std::function<void(std::size_t index, std::string_view saved)>& found) = 0;

  // One row and the checkpoint it goes with, or a page of rows as of one commit.
  virtual Result<std::pair<GlobalPosition, std::optional<std::string>>> row(std::string_view key) = 0;
  virtual Result<SavedRows> rows(const SavedRowsQuery& query) = 0;

  // Rising by place: what is parked, at most `limit` behind `after`.
  virtual Result<std::vector<ParkedEntry>> parked(const std::optional<ParkedPlace>& after,
                                                  std::size_t limit) = 0;
  virtual Result<std::optional<ParkedEntry>> find_parked(const ParkedPlace& place) = 0;
  // The positions that wait at a place, rising, at most `limit` from `from` on.
  virtual Result<std::vector<GlobalPosition>> waiting(const ParkedPlace& place, GlobalPosition from,
                                                      std::size_t limit) = 0;

  virtual Result<ReadModelSize> size() = 0;
};

}  // namespace cairn

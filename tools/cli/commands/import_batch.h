#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/cli/commands/import_line.h"

namespace cairn::cli {

struct BatchLimits {
  std::size_t events_max = 1'000;
  bool keep_order = false;  // also between streams; see ImportBatch
};

// Lines that are sent in one request. A request lists each stream once, so the events of one stream are
// grouped: the order within each stream is kept, and the order between streams only with `keep_order`, which
// ends a batch before a stream would occur a second time.
class ImportBatch {
 public:
  explicit ImportBatch(const BatchLimits& limits) : limits_(limits) {}

  // Whether this line fits. An empty batch has room for any line.
  bool has_room_for(const ImportLine& line) const;
  void add(const ImportLine& line, std::uint64_t number);

  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  // REQUIRES: it is not empty.
  std::uint64_t first_line() const;
  std::uint64_t last_line() const;

  // The streams, in the order of the request, and how many events each has.
  const std::vector<std::string>& streams() const { return streams_; }
  std::size_t events_of(std::size_t stream) const { return order_[stream].size(); }

  // The line that is event number `event` of stream number `stream` in the request; nullopt for none.
  std::optional<std::uint64_t> line_of(std::size_t stream, std::size_t event) const;

  // Where an event of the request comes from.
  struct Source {
    std::uint64_t line = 0;
    std::string missing_schema;  // see ImportLine
  };
  // Events count from 0 through all streams of the request; nullopt for none.
  std::optional<Source> source_of(std::size_t event) const;

  // The body of the request. `expected` gives the JSON of the expected version of a stream.
  std::string body(const std::function<std::string(const std::string&)>& expected) const;

  // Splits the batch into one batch per event, in the order of the lines.
  std::vector<ImportBatch> single_events() const;

 private:
  struct Event {
    std::uint64_t line = 0;
    std::size_t stream = 0;
    std::string json;
    std::string missing_schema;
  };

  void add(const std::string& stream, Event event);

  BatchLimits limits_;
  std::vector<Event> events_;                            // in the order of the lines
  std::vector<std::string> streams_;                     // in the order of their first event
  std::vector<std::vector<std::size_t>> order_;          // the events of each stream
  std::unordered_map<std::string, std::size_t> places_;  // index of a stream in streams_
  std::size_t bytes_ = 0;
};

}  // namespace cairn::cli

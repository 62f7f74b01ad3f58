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

// Lines that go to the server in one request. In a request a stream stands once, so events of one stream move
// together: the order within each stream is kept, and the order between streams only with `keep_order`, for
// which a batch ends where a stream would come back.
class ImportBatch {
 public:
  explicit ImportBatch(const BatchLimits& limits) : limits_(limits) {}

  // Whether there is room for this line. An empty batch has room for any.
  bool has_room_for(const ImportLine& line) const;
  void add(const ImportLine& line, std::uint64_t number);

  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  std::uint64_t first_line() const { return events_.front().line; }
  std::uint64_t last_line() const { return events_.back().line; }

  // The streams, in the order of the request, and how many events each has.
  const std::vector<std::string>& streams() const { return streams_; }
  std::size_t events_of(std::size_t stream) const { return order_[stream].size(); }

  // The line that is event number `event` of stream number `stream` in the request; nullopt for none.
  std::optional<std::uint64_t> line_of(std::size_t stream, std::size_t event) const;

  // The body of the request. `expected` gives the JSON of the expected version of a stream.
  std::string body(const std::function<std::string(const std::string&)>& expected) const;

  // The batch as one of its own for each event, in the order of the lines.
  std::vector<ImportBatch> single_events() const;

 private:
  struct Event {
    std::uint64_t line = 0;
    std::size_t stream = 0;
    std::string json;
  };

  void add(const std::string& stream, std::string event_json, std::uint64_t number);

  BatchLimits limits_;
  std::vector<Event> events_;                            // as the lines came
  std::vector<std::string> streams_;                     // as they first came
  std::vector<std::vector<std::size_t>> order_;          // for each stream its events
  std::unordered_map<std::string, std::size_t> places_;  // of a stream in streams_
  std::size_t bytes_ = 0;
};

}  // namespace cairn::cli

#include "tools/cli/commands/import_batch.h"

#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/limits.h"
#include "eventstore/json/json_writer.h"

namespace cairn::cli {

namespace {

// Below the server's limit for a body, because braces and names are added. A single event may be larger.
constexpr std::size_t kBatchBytesMax = limits::kRequestBytesMax / 2;

std::size_t bytes_of(const EventText& event) {
  return event.data.size() + event.metadata.size() + event.tags.size() + event.type.size();
}

}  // namespace

bool ImportBatch::has_room_for(const ImportLine& line) const {
  if (events_.empty()) return true;
  if (events_.size() >= limits_.events_max || bytes_ + bytes_of(line.event) > kBatchBytesMax) return false;
  const auto place = places_.find(line.stream);
  if (place == places_.end()) return streams_.size() < limits::kRequestStreamsMax;
  return !limits_.keep_order || place->second + 1 == streams_.size();
}

void ImportBatch::add(const ImportLine& line, std::uint64_t number) {
  std::string json;
  append_event(json, line.event);
  add(line.stream, {number, 0, std::move(json), line.missing_schema});
}

void ImportBatch::add(const std::string& stream, Event event) {
  const auto [place, is_new] = places_.try_emplace(stream, streams_.size());
  if (is_new) {
    streams_.push_back(stream);
    order_.emplace_back();
  }
  order_[place->second].push_back(events_.size());
  bytes_ += event.json.size();
  event.stream = place->second;
  events_.push_back(std::move(event));
}

std::uint64_t ImportBatch::first_line() const {
  CAIRN_ASSERT(!empty());
  return events_.front().line;
}

std::uint64_t ImportBatch::last_line() const {
  CAIRN_ASSERT(!empty());
  return events_.back().line;
}

std::optional<std::uint64_t> ImportBatch::line_of(std::size_t stream, std::size_t event) const {
  if (stream >= order_.size() || event >= order_[stream].size()) return std::nullopt;
  return events_[order_[stream][event]].line;
}

std::optional<ImportBatch::Source> ImportBatch::source_of(std::size_t event) const {
  for (const std::vector<std::size_t>& of_stream : order_) {
    if (event < of_stream.size()) {
      const Event& found = events_[of_stream[event]];
      return Source{found.line, found.missing_schema};
    }
    event -= of_stream.size();
  }
  return std::nullopt;
}

std::string ImportBatch::body(const std::function<std::string(const std::string&)>& expected) const {
  std::string body;
  body.reserve(bytes_ + 64 * (events_.size() + streams_.size()));
  JsonWriter json(body);
  json.begin_object();
  json.begin_array("appends");
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    json.begin_object();
    json.text("stream", streams_[stream]);
    json.raw("expectedVersion", expected(streams_[stream]));
    json.begin_array("events");
    for (const std::size_t event : order_[stream]) json.raw(events_[event].json);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return body;
}

std::vector<ImportBatch> ImportBatch::single_events() const {
  std::vector<ImportBatch> singles;
  singles.reserve(events_.size());
  for (const Event& event : events_) {
    singles.emplace_back(limits_).add(streams_[event.stream], event);
  }
  return singles;
}

}  // namespace cairn::cli

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "eventstore/event_store.h"
#include "tests/support/events.h"

namespace cairn::test {

// A model of an event store: one vector of events. Ids are kept for ever.
class StoreModel {
 public:
  // The answer that a store must give to `request`: the numbers, or the permitted errors.
  struct Answer {
    std::optional<AppendResult> result;
    std::vector<Errc> errors;  // any of these, when there is no result
    std::string stream;        // of a version conflict, when only one stream can be meant
    std::optional<std::uint64_t> version;
  };
  // Decides and, on success, applies. Events without an id have a nil id until name() sets it.
  // REQUIRES: the request is valid.
  Answer append(const AppendRequest& request, Timestamp now);

  // Sets the id that the store generated for the event at `position`.
  void name(std::uint64_t position, Uuid id) { log_[position - 1].id = id; }

  const std::vector<Event>& log() const { return log_; }
  std::uint64_t version(const std::string& stream) const;
  std::vector<Event> stream(const std::string& name) const;
  std::vector<Event> filtered(const EventFilter& filter) const;
  std::vector<StreamInfo> list(const StreamListQuery& query) const;  // ignores the limit
  const std::map<std::string, std::vector<std::uint64_t>>& streams() const { return streams_; }

 private:
  std::optional<Answer> repeat_of(const AppendRequest& request) const;
  std::optional<Answer> conflict(const AppendRequest& request) const;

  std::vector<Event> log_;                                     // position - 1
  std::map<std::string, std::vector<std::uint64_t>> streams_;  // positions by version - 1
  std::unordered_map<Uuid, std::uint64_t> ids_;                // given ids -> position
};

// Compares one answer of `store` with the model; "" when they agree.
std::string difference_in_log(EventStore& store, const StoreModel& model, const LogQuery& query);
std::string difference_in_stream(EventStore& store, const StoreModel& model, const std::string& stream,
                                 const StreamQuery& query);
std::string difference_in_list(EventStore& store, const StoreModel& model, const StreamListQuery& query);
std::string difference_in_info(EventStore& store, const StoreModel& model, const std::string& stream);

}  // namespace cairn::test

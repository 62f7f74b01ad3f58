#include "tools/bench/cairn_append.h"

#include <utility>

#include "tools/bench/pipelined_writer.h"

namespace cairn::bench {
namespace {

class StoreSession : public AppendSession {
 public:
  StoreSession(EventStore& store, const Payloads& payloads, ClientIds client_ids)
      : store_(store), payloads_(payloads), client_ids_(client_ids) {}

  Status append(const AppendCall& call) override {
    CAIRN_CHECK(store_.append(make_request(call, payloads_, client_ids_)));
    return {};
  }

 private:
  EventStore& store_;
  const Payloads& payloads_;
  ClientIds client_ids_;
};

}  // namespace

AppendRequest make_request(const AppendCall& call, const Payloads& payloads, ClientIds client_ids) {
  StreamAppend append;
  append.stream = call.stream;
  append.expected = ExpectedVersion::exactly(call.expected_version);
  append.events.resize(call.events);
  for (unsigned i = 0; i < call.events; ++i) {
    NewEvent& event = append.events[i];
    if (client_ids == ClientIds::kYes) event.id = new_event_id();
    event.type = payloads.type(call.first_event + i);
    event.data = payloads.data(call.first_event + i);
  }
  AppendRequest request;
  request.streams.push_back(std::move(append));
  return request;
}

Result<AppendOutcome> run_appends(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                  const Payloads& payloads) {
  if (load.in_flight > 1) return drive_pipelined(store, load, streams, payloads);
  AppendSessions sessions;
  for (unsigned i = 0; i < load.writers; ++i) {
    sessions.push_back(std::make_unique<StoreSession>(store, payloads, load.client_ids));
  }
  return drive_appends(load, streams, sessions);
}

StoreWork work_between(const StoreStats& before, const StoreStats& after) {
  StoreWork work;
  work.commits = after.commits - before.commits;
  work.events = after.events - before.events;
  work.flushes = after.flushes - before.flushes;
  if (work.commits > 0) {
    work.commit_us =
        static_cast<double>(after.commit_micros - before.commit_micros) / static_cast<double>(work.commits);
  }
  return work;
}

}  // namespace cairn::bench

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/aggregates/aggregate_routes.h"
#include "api/aggregates/aggregate_service.h"
#include "api/aggregates/snapshot_json.h"
#include "api/aggregates/state_problem.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// The request of a route below, which runs on a thread that may wait for the disk.
struct Asked {
  EventStore& store;
  AggregateStates& states;
  std::string stream;
  std::uint64_t keep = 0;
};

using Answer = HttpResponse (*)(const Asked& asked, WorkBudget& budget);

std::string fingerprint_of(const Asked& asked) {
  const auto aggregate = asked.states.aggregates().find(category_of(asked.stream));
  return aggregate == nullptr ? "" : aggregate->info().fingerprint;
}

// An operator waits for it as long as the stream takes: the point of a snapshot is that no later read has to.
HttpResponse create(const Asked& asked, WorkBudget& budget) {
  budget.set_limits({});
  const auto made = asked.states.snapshot_stream(asked.stream, &budget);
  if (!made) return state_problem(asked.stream, made.error()).to_response();
  return json_response(made->fresh ? 200 : 201, snapshot_json(asked.stream, *made, fingerprint_of(asked)));
}

// The newest usable snapshot, with its state.
HttpResponse show(const Asked& asked, WorkBudget& budget) {
  const auto listed = asked.states.snapshots(asked.stream);
  if (!listed) return store_problem(listed.error()).to_response();
  const auto usable = std::find_if(listed->rbegin(), listed->rend(),
                                   [](const SnapshotDescription& snapshot) { return !snapshot.unusable; });
  if (usable == listed->rend()) return not_found("snapshot", asked.stream).to_response();
  const auto state = asked.states.state_at(asked.stream, StateQuery::at_version(usable->version), &budget);
  if (!state) return state_problem(asked.stream, state.error()).to_response();
  return json_response(200, snapshot_json(*state, usable->bytes));
}

HttpResponse list(const Asked& asked, WorkBudget&) {
  const auto listed = asked.states.snapshots(asked.stream);
  if (!listed) return store_problem(listed.error()).to_response();
  return json_response(200, snapshots_json(asked.stream, *listed));
}

HttpResponse prune(const Asked& asked, WorkBudget&) {
  const auto removed = asked.states.prune(asked.stream, asked.keep);
  if (!removed) return store_problem(removed.error()).to_response();
  return json_response(200, json_object([&](JsonWriter& json) { json.number("removed", *removed); }));
}

enum class Takes : bool { kNothing, kKeep };

void answer_with(Answer answer, Takes takes, const StoreSlot& slot, const HttpRequest& request,
                 const Responder& respond) {
  AggregateService& service = *slot.aggregates();
  QueryReader query(request);
  Asked asked{*slot.store(), service.states(), request.parameters.at("stream")};
  if (takes == Takes::kKeep) {
    asked.keep = query.number("keep", 0, std::numeric_limits<std::uint64_t>::max()).value_or(0);
  }
  if (refused(query.finish(), respond)) return;
  if (refused(check_category(request, category_of(asked.stream)), respond)) return;
  respond.set_cancellable();
  service.workers().answer(respond, [answer, asked = std::move(asked), &budget = respond.budget()] {
    const auto info = asked.store.stream_info(asked.stream);
    if (!info) return store_problem(info.error()).to_response();
    if (!*info) return not_found("stream", asked.stream).to_response();
    return answer(asked, budget);
  });
}

}  // namespace

std::vector<Route> snapshot_routes(const RouteContext& context) {
  const auto handled = [&slot = context.store](Answer answer, Takes takes = Takes::kNothing) {
    return with_store(
        slot, [&slot, answer, takes](EventStore&, const HttpRequest& request, const Responder& respond) {
          answer_with(answer, takes, slot, request, respond);
        });
  };
  std::vector<Route> routes;
  routes.push_back({"POST", "/streams/{stream}/snapshot", handled(&create), Scope::kAdmin});
  routes.push_back({"GET", "/streams/{stream}/snapshot", handled(&show)});
  routes.push_back({"GET", "/streams/{stream}/snapshots", handled(&list)});
  routes.push_back({"DELETE", "/streams/{stream}/snapshots", handled(&prune, Takes::kKeep), Scope::kAdmin});
  return routes;
}

}  // namespace cairn::api

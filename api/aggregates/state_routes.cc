#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/aggregates/aggregate_routes.h"
#include "api/aggregates/aggregate_service.h"
#include "api/aggregates/state_json.h"
#include "api/aggregates/state_problem.h"
#include "api/serving/query_reader.h"
#include "api/serving/route_tools.h"
#include "eventstore/event_store.h"

namespace cairn::api {

namespace {

// The state that the query asks for: at a version, at a time, or the newest.
Answered<StateQuery> read_query(const HttpRequest& request) {
  QueryReader query(request);
  const auto version = query.number("version", 1, std::numeric_limits<std::uint64_t>::max());
  const auto time = query.time("time");
  CAIRN_CHECK(query.finish());
  if (version && time) {
    return invalid_request("Give a version or a time, not both.", "time");
  }
  if (version) return StateQuery::at_version({*version});
  if (time) return StateQuery::at_time(*time);
  return StateQuery::head();
}

HttpResponse state_of(AggregateStates& states, const std::string& stream, const StateQuery& query,
                      WorkBudget& budget) {
  const auto state = states.state_at(stream, query, &budget);
  if (!state) return state_problem(stream, state.error()).to_response();
  return json_response(200, to_json(*state));
}

void answer_state(AggregateService& service, const HttpRequest& request, const Responder& respond) {
  const auto query = read_query(request);
  if (refused(query, respond)) return;
  const std::string& stream = request.parameters.at("stream");
  if (refused(check_category(request, category_of(stream)), respond)) return;
  respond.set_cancellable();
  service.workers().answer(respond,
                           [&states = service.states(), stream, query = *query, &budget = respond.budget()] {
                             return state_of(states, stream, query, budget);
                           });
}

}  // namespace

std::vector<Route> state_routes(const RouteContext& context) {
  const auto handle = [&slot = context.store](EventStore&, const HttpRequest& request,
                                              const Responder& respond) {
    answer_state(*slot.aggregates(), request, respond);
  };
  std::vector<Route> routes;
  routes.push_back({"GET", "/streams/{stream}/state", with_store(context.store, handle)});
  return routes;
}

}  // namespace cairn::api

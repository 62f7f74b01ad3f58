#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/access/scope.h"
#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "api/http/responder.h"

namespace cairn::api {

// Runs on a thread of the server and must not block on anything slower than the disk. What it needs of the
// request after it returns, it copies.
using RouteHandler = std::function<void(const HttpRequest& request, Responder respond)>;

// One row of the route table: {"GET", "/streams/{stream}/events", …}. A {name} stands for one path segment.
struct Route {
  std::string method;
  std::string path;
  RouteHandler handle;
  std::optional<Scope> scope = Scope::kRead;  // what a client's token must allow; nullopt = open to all
  // Paths of the schema registry may end with a slash, because some of its clients write one.
  Dialect dialect = Dialect::kProblem;
};

// What a router found for a request.
struct RouteMatch {
  const Route* route = nullptr;                   // lives as long as the router
  std::map<std::string, std::string> parameters;  // what stood for {name}, decoded
  std::optional<Problem> problem;                 // set when the request can go nowhere
  Dialect dialect = Dialect::kProblem;            // also of paths that only begin like a route's
};

// Finds the route of a request. Immutable once made, so any thread may use it.
class Router {
 public:
  // REQUIRES: no two routes have the same method and a path that could match the same request.
  explicit Router(std::vector<Route> routes);

  // Looks for a path's route. A path without one is a 404, a method the path does not have 405, an escape
  // that is no escape 400. HEAD goes to the route of GET.
  RouteMatch find(std::string_view method, std::string_view path) const;

  // Calls what was found, or answers with the problem.
  static void handle(RouteMatch match, HttpRequest request, Responder respond);

  // The table, for those who describe it.
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;          // of each route's path
  std::set<std::string, std::less<>> registry_beginnings_;  // first segments of the schema registry's paths
};

}  // namespace cairn::api

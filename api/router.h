#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "api/responder.h"

namespace cairn::api {

// Runs on a thread of the server and must not block on anything slower than the disk. What it needs of the
// request after it returns, it copies.
using RouteHandler = std::function<void(const HttpRequest& request, Responder respond)>;

// One row of the route table: {"GET", "/streams/{stream}/events", …}. A {name} stands for one path segment.
struct Route {
  std::string method;
  std::string path;
  RouteHandler handle;
};

// Finds the route of a request. Immutable once made, so any thread may use it.
class Router {
 public:
  // REQUIRES: no two routes have the same method and a path that could match the same request.
  explicit Router(std::vector<Route> routes);

  // Calls the matching route. A path without a route is answered 404, a method the path does not have 405,
  // an escape that is no escape 400. HEAD goes to the route of GET.
  void handle(HttpRequest request, Responder respond) const;

  // The table, for those who describe it.
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;  // of each route's path
};

}  // namespace cairn::api

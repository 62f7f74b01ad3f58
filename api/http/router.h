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

// Copies from the request what it needs after it has returned.
using RouteHandler = std::function<void(const HttpRequest& request, Responder respond)>;

// Where a route's handler runs, and where the pieces of a streamed answer are made that BodySource calls long.
enum class RunsOn {
  kConnectionThread,  // which serves many connections: must neither block nor compute for long
  kWorker,            // may read the disk and compute, and charges Responder::budget() for it
  kTrialWorker,    // the same on a thread apart: may take all of its budget, and others must not wait for it
  kWorkerIfLarge,  // the first, and the second for a body above ServerLimits::large_body_bytes
};

// What the answers of a route may take, by ServerLimits.
enum class WorkKind {
  kOrdinary,
  kSchemaCheck,  // parses and compares schemas: check_cpu_max instead of answer_cpu_max
  kAppend,       // in a window of the client's, while several clients send requests
};

// One row of the route table: {"GET", "/streams/{stream}/events", …}. A {name} matches one path segment.
struct Route {
  std::string method;
  std::string path;
  RouteHandler handle;
  std::optional<Scope> scope = Scope::kRead;  // that a client's token must have; nullopt = none
  // Paths of the schema registry may end with a slash, because some of its clients send one.
  Dialect dialect = Dialect::kProblem;
  // Whether requests have a body. That of another request is not read.
  bool takes_body() const { return method == "POST" || method == "PUT" || method == "PATCH"; }

  // A static file of a user interface: links on pages of other sites may lead to it.
  bool is_page = false;
  RunsOn runs_on = RunsOn::kConnectionThread;
  WorkKind work = WorkKind::kOrdinary;

  // Server-sent events: a client may show a ticket instead of a token (Tickets).
  bool takes_ticket = false;
  // Answers requests without credentials too (HttpRequest::is_anonymous). A token that is sent is checked.
  bool allows_anonymous = false;
};

// The result of a lookup.
struct RouteMatch {
  const Route* route = nullptr;                   // lives as long as the router
  std::map<std::string, std::string> parameters;  // the segments for {name}, decoded
  Answered<void> outcome;                         // fails when no route can handle the request
  Dialect dialect = Dialect::kProblem;            // also of unknown paths below a registry path
};

// Reads what follows the first '?' of a target: names and values, decoded. Never fails on a bad escape, which
// stays as it is. nullopt when a second '?' has something on both sides.
//
// These leniencies are older than this function, and clients may rely on them: a pair that is written twice
// counts once; a pair without a name is left out, and "=x" is the name "x"; of "a=b=c" the value is "c".
std::optional<QueryParameters> parse_query(std::string_view query);

// The segments of a path, decoded: "/streams/a%20b" -> "streams", "a b". nullopt when a '%' is not followed by
// two hexadecimal digits.
std::optional<std::vector<std::string>> path_segments(std::string_view path);

// The route table. Immutable, hence thread-safe.
class Router {
 public:
  // REQUIRES: no request matches two routes.
  explicit Router(std::vector<Route> routes);

  // Finds the route of a path. An unknown path is 404, a method that the path does not have 405, a '%'
  // without two hexadecimal digits 400. HEAD uses the route of GET.
  RouteMatch find(std::string_view method, std::string_view path) const;

  // Calls the route's handler, or answers with the problem.
  static void handle(RouteMatch match, HttpRequest request, Responder respond);

  // For tests and descriptions of the table.
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> segments_;          // of each route's path
  std::set<std::string, std::less<>> registry_beginnings_;  // first segments of the schema registry's paths
};

}  // namespace cairn::api

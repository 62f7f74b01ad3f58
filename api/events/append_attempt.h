#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/events/door_check.h"
#include "api/events/event_schemas.h"
#include "api/http/responder.h"
#include "api/registry/registry_service.h"

namespace cairn::api {

// How the two kinds of append answer.
struct AppendManner {
  HttpResponse (*success)(const AppendResult&);
  Problem (*failure)(const Error&);
};

// One client's append, from its body to its answer.
//
// A client that sends an append again, because it got no answer, means the same events, also when their type
// got a new schema in between. So when an id turns out to be in use and what stands there was written with
// another schema, the data is written with that one and the append is made again.
class AppendAttempt : public std::enable_shared_from_this<AppendAttempt> {
 public:
  struct Parts {
    EventStore& store;
    RegistryService& registry;
    EventShapes& shapes;
    SchemaPolicy policy = SchemaPolicy::kRequired;
    AppendManner manner;
    const Token* token = nullptr;  // nullptr when none is asked for
    Responder respond;
    // Reads the body; pure.
    std::function<std::variant<AppendBody, Problem>(std::string_view)> parse;
  };

  explicit AppendAttempt(Parts parts) : parts_(std::move(parts)) {}

  // Appends what was read from `body`. REQUIRES: it came from parts.parse(body); called once.
  void start(AppendBody parsed, std::string_view body);

 private:
  // Tries events on upcasters, here or, when that takes long, on the registry's thread.
  void check(AppendBody body);
  // Goes on with what was tried.
  void leave_door(DoorCheck& door, DoorCheck::Outcome outcome);
  void append(AppendBody body);
  void answer(const Error& error, const std::vector<Uuid>& ids);

  // Reads the body again and appends it with the schema that is stored already. Runs on the registry's
  // thread.
  void try_again(const Error& error);
  // Takes the schema of the stored event for its type; false when that changes nothing.
  bool pin_schema_of(const Error& error, const AppendBody& body);

  const Parts parts_;
  std::string body_;  // kept when it may be needed once more
  SchemaPins pins_;
};

}  // namespace cairn::api

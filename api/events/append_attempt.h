#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/events/event_schemas.h"
#include "api/events/upcast_trial.h"
#include "api/http/responder.h"
#include "api/registry/registry_service.h"

namespace cairn::api {

// How an append is answered: appends to one stream and to several have their own formats.
struct AppendReply {
  HttpResponse (*success)(const AppendResult&);
  Problem (*failure)(const Error&);
};

// One client's append, from its body to its answer. Lives until the answer is sent; its steps run one after
// the other, on the threads of the server, the registry and the store.
//
// Appends are idempotent: a client that got no answer sends the same events with the same ids again, perhaps
// after their type got a new schema. So when an id is in use and the stored event was written with another
// schema, the data is encoded with that schema and the append is tried once more.
class AppendAttempt : public std::enable_shared_from_this<AppendAttempt> {
 public:
  struct Parts {
    EventStore& store;
    RegistryService& registry;
    EventShapes& shapes;
    SchemaPolicy policy = SchemaPolicy::kRequired;
    AppendReply reply;
    std::shared_ptr<const Token> token;  // nullptr when the server needs no tokens
    Responder respond;
    // Parses the body. Pure: a second attempt parses it again.
    std::function<Answered<AppendBody>(std::string_view)> parse;
  };

  explicit AppendAttempt(Parts parts) : parts_(std::move(parts)) {}

  // Appends `parsed`. REQUIRES: it is the result of parts.parse(body), or `body` is empty; called once.
  void start(AppendBody parsed, std::string_view body);

 private:
  // Runs upcasters on the events: on the calling thread, and on the registry's thread when it takes long.
  void check(AppendBody body);
  // Appends the events or answers with the failure.
  void finish(UpcastTrial& trial, UpcastTrial::Outcome outcome);
  void append(AppendBody body);
  void answer(const Error& error, const std::vector<Uuid>& ids);

  // Parses the body again and appends it with the schema of the stored event. Runs on the registry's thread.
  void try_again(const Error& error);
  // Pins the schema of the stored event for its type; false when that would change nothing.
  bool pin_schema_of(const Error& error, const AppendBody& body);

  const Parts parts_;
  std::string body_;  // kept for a second attempt; empty when no event has an id from the client
  SchemaPins pins_;
};

}  // namespace cairn::api

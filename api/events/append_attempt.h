#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/events/added_metadata.h"
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
// The events are checked against the schemas and upcasters of one revision, which goes with them to the
// writer thread. When a schema or an upcaster was deployed in between, the store hands the request back
// (kStale), and it is checked again: so nothing is stored that the newest upcasters were not run on.
//
// A condition is verified at the same revision, with the stored types that become those that it names: when an
// upcaster was deployed in between, it is widened and verified again.
//
// Appends are idempotent: a client that got no answer sends the same events with the same ids again, perhaps
// after their type got a new schema. So when an id is in use and the stored event was written with another
// schema, the data is encoded with that schema and the append is tried once more. Data that does not fit the
// newest schema is refused only when its ids are not in use: the writer is asked first (only_if_repeated).
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
    AddedMetadata added = {};  // beside what the events inherit from their cause
  };

  // Made before anything about the events is read from the registry.
  explicit AppendAttempt(Parts parts)
      : parts_(std::move(parts)), checked_at_(parts_.shapes.revision()), added_(parts_.added) {}

  // Appends `parsed`. REQUIRES: it is the result of parts.parse(text), or `text` is empty; called once.
  void start(AppendBody parsed, std::string_view text);

 private:
  // Runs `read` on a thread for reads that appends wait for.
  void submit_read(std::function<void()> read);

  // Reads the event that caused these, and goes on with begin(). Runs on a thread for causes.
  void read_cause();
  void begin();

  // Waits for the end of a hold on one of the event types, and goes on with recheck(); false when there is
  // none. An append waits once at most.
  bool held();
  // Runs upcasters on the events where that is needed, on the calling thread, and on the registry's thread
  // when it takes long; then appends them.
  void check();
  // Appends the events or answers with the failure.
  void finish(UpcastTrial& trial, UpcastTrial::Outcome outcome);
  // Verifies the condition, if there is one, here if it takes memory only and else on a thread for it; then hands
  // the request to the store.
  void append();
  void verify();
  void enqueue();
  // Finds the stream and the type of the event that fails the condition, and answers.
  void answer_failed_condition();
  void answered(Result<AppendResult> result);
  void answer(const Error& error);

  // Checks the events once more, with the schemas and upcasters of now. Runs on the thread for rechecks.
  void recheck();
  // Hands recheck() to that thread.
  void submit_recheck();
  // Finds the schema version of each encoded event; answers and returns false when one was deleted.
  bool find_versions();

  // The events do not fit their schemas, for the reason in refusal_: they may be a repeat from before a new one.
  void ask_for_repeat();

  // Parses the text again and appends it with the schema of the stored event. Runs on the registry's thread.
  void try_again(const Error& error);
  // Pins the schema of the stored event for its type; false when that would change nothing.
  bool pin_schema_of(const Error& error, const AppendBody& body);

  const Parts parts_;
  SchemaRevision checked_at_;
  AddedMetadata added_;
  AppendBody body_;
  std::string text_;  // kept for a second attempt; empty when no event has an id from the client
  SchemaPins pins_;
  std::optional<Problem> refusal_;  // the answer unless the events are a repeat; set by ask_for_repeat()
  int rechecks_ = 0;
  std::optional<AppendCheck> stale_check_;  // the check that failed last with kStale
  bool was_held_ = false;
};

}  // namespace cairn::api

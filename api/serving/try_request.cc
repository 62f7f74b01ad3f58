#include "api/serving/try_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/serving/route_tools.h"
#include "api/serving/store_problem.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/base/nearest_word.h"
#include "eventstore/event_store.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "schemaregistry/registry/schema_registry.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::api {

namespace {

constexpr std::size_t kFileNameBytesMax = 200;

Problem wrong_member(const std::string& name, std::string_view what) {
  return invalid_request(name + " " + std::string(what) + ".", name);
}

// Reads the body of a trial. The first problem ends the reading.
class TryParser {
 public:
  TryParser(std::string_view body, TakesStream takes_stream, const std::string& default_stream)
      : body_(body), takes_stream_(takes_stream), given_(default_stream) {}

  Answered<TryRequest> parse() {
    if (const auto fault = check_json(body_)) {
      return invalid_request(
          fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
    }
    cursor_ = JsonCursor(body_);
    if (cursor_.kind() != JsonKind::kObject) return invalid_request("The body must be an object.", "body");
    cursor_.enter_object();
    bool has_source = false;
    while (const auto name = cursor_.next_name()) {
      has_source = has_source || *name == "source";
      CAIRN_CHECK(read_member(*name));
    }
    if (!has_source) return wrong_member("source", "is missing");
    const bool takes_stream = takes_stream_ == TakesStream::kYes;
    const int ways = (request_.given ? 1 : 0) + (request_.last ? 1 : 0) + (request_.stream ? 1 : 0);
    if (ways == 1) return std::move(request_);
    return invalid_request(
        takes_stream ? "Give one of events, last and stream." : "Give either events or last.", "events");
  }

 private:
  Answered<void> read_member(const std::string& name) {
    if (name == "source") {
      CAIRN_TRY(request_.source, text(name));
      if (request_.source.size() > kScriptBytesMax) return too_large("The script", kScriptBytesMax);
      return {};
    }
    if (name == "file") {
      CAIRN_TRY(request_.file, text(name));
      const bool is_name = !request_.file.empty() && request_.file.size() <= kFileNameBytesMax &&
                           is_printable_name(request_.file);
      if (!is_name) return wrong_member(name, "must be a name of 1 to 200 printable bytes");
      return {};
    }
    if (name == "stream" && takes_stream_ == TakesStream::kYes) {
      CAIRN_TRY(request_.stream, text(name));
      return {};
    }
    if (name == "last") return read_last();
    if (name == "events") return read_events();
    return wrong_member(name, "is not a member of a trial");
  }

  Answered<std::string> text(const std::string& name) {
    if (cursor_.kind() != JsonKind::kString) return wrong_member(name, "must be a text");
    return cursor_.take_string();
  }

  Answered<void> read_last() {
    const auto last =
        cursor_.kind() == JsonKind::kNumber ? json_whole_number(cursor_.take_raw()) : std::nullopt;
    if (!last || *last == 0 || *last > kTrialEventsMax) {
      return wrong_member("last", fmt::format("must be a whole number from 1 to {}", kTrialEventsMax));
    }
    request_.last = *last;
    return {};
  }

  Answered<void> read_events() {
    if (cursor_.kind() != JsonKind::kArray) return wrong_member("events", "must be a list");
    cursor_.enter_array();
    while (cursor_.next_element()) {
      if (const Status taken = given_.take(cursor_); !taken) return store_problem(taken.error());
    }
    request_.given = given_.finish();
    return {};
  }

  const std::string_view body_;
  const TakesStream takes_stream_;
  GivenEvents given_;
  JsonCursor cursor_{"null"};
  TryRequest request_;
};

std::vector<std::string> known_types(const StoreSlot& slot) {
  constexpr std::size_t kNamesMax = 1'000;
  std::vector<std::string> names;
  const auto subjects =
      slot.registry()->read([](const RegistryState& state) -> RegistryResult<std::vector<std::string>> {
        std::vector<std::string> found;
        for (const auto& [subject, versions] : state.subjects()) {
          if (found.size() < kNamesMax && newest_live(versions) != nullptr) found.push_back(subject);
        }
        return found;
      });
  if (subjects) names = *subjects;
  const auto counted =
      slot.store()->count_terms({.of = CountedTerm::kType, .prefix = "", .limit = kNamesMax});
  if (counted) {
    for (const CountList::Entry& entry : counted->terms) {
      if (!entry.term.starts_with('$')) names.push_back(entry.term);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_stored(EventStore& store, const std::string& type) {
  const auto counted = store.count_terms({.of = CountedTerm::kType, .prefix = type, .limit = 1});
  return counted && !counted->terms.empty() && counted->terms[0].term == type;
}

}  // namespace

Answered<TryRequest> parse_try(const HttpRequest& request, std::string_view file, TakesStream takes_stream,
                               const std::string& default_stream) {
  if (!has_content_type(request, "application/json")) return wrong_content_type("application/json");
  CAIRN_TRY(TryRequest wanted, TryParser(request.body, takes_stream, default_stream).parse());
  if (wanted.file.empty()) wanted.file = file;
  return wanted;
}

Problem script_refused(const ScriptError& error) {
  Problem problem(422, "script-error", "The script cannot be used", sentence(error.text()));
  return problem.with("file", error.file)
      .with("line", static_cast<std::uint64_t>(std::max(error.line, 0)))
      .with("message", error.message);
}

std::vector<ScriptWarning> unknown_types(const StoreSlot& slot, SchemaPolicy policy,
                                         const std::vector<std::string>& types) {
  std::vector<ScriptWarning> warnings;
  std::optional<std::vector<std::string>> known;
  for (const std::string& type : types) {
    if (slot.registry()->latest(type) != nullptr || is_stored(*slot.store(), type)) continue;
    if (!known) known = known_types(slot);
    const std::string nearest = nearest_word(type, *known);
    if (nearest.empty() && policy == SchemaPolicy::kOptional) continue;
    std::string message = fmt::format("no schema and no stored event has the type '{}'", type);
    if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
    warnings.push_back({"unknown-type", std::move(message)});
  }
  return warnings;
}

}  // namespace cairn::api

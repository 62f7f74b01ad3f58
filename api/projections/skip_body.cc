#include "api/projections/skip_body.h"

#include <algorithm>
#include <optional>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

constexpr std::ptrdiff_t kReasonCharactersMax = 1'000;

// Of checked UTF-8: the bytes that do not go on with a character.
std::ptrdiff_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Problem wrong_reason() {
  return invalid_request(
      "reason must be a text of 1 to 1,000 characters that says why the event is left out.", "reason");
}

}  // namespace

std::variant<std::string, Problem> read_skip_reason(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request("The body is not the JSON it should be: " + fault->message + ", at byte " +
                               std::to_string(fault->offset) + ".",
                           "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) {
    return invalid_request("The body must be an object with a reason.", "body");
  }
  std::optional<std::string> reason;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name != "reason") return invalid_request(*name + " is not a field of a skip.", *name);
    if (cursor.kind() != JsonKind::kString) return wrong_reason();
    reason = cursor.take_string();
  }
  if (!reason || reason->empty() || characters(*reason) > kReasonCharactersMax) return wrong_reason();
  return *std::move(reason);
}

}  // namespace cairn::api

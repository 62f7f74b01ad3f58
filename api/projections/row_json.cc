#include "api/projections/row_json.h"

#include "api/projections/json_object.h"

namespace cairn::api {

namespace {

template <typename Answer>
void append_standing(JsonObject& to, const Answer& answer) {
  to.number("position", answer.position.value);
  to.number("generation", answer.generation);
  if (answer.partial) to.flag("partial", true);
}

}  // namespace

std::string row_json(std::string_view key, const RowAnswer& answer) {
  std::string text;
  JsonObject object(text);
  object.text("key", key);
  object.raw("row", *answer.json);
  append_standing(object, answer);
  object.end();
  return text;
}

std::string rows_json(const RowsAnswer& answer) {
  std::string text;
  JsonObject object(text);
  object.begin("rows");
  text += '[';
  bool first = true;
  for (const RowsAnswer::Row& row : answer.rows) {
    if (!first) text += ',';
    first = false;
    JsonObject entry(text);
    entry.text("key", row.key);
    entry.raw("row", row.json);
    entry.end();
  }
  text += ']';
  object.text_or_null("next", answer.next);
  append_standing(object, answer);
  object.end();
  return text;
}

}  // namespace cairn::api

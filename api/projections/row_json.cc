#include "api/projections/row_json.h"

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

template <typename Answer>
void write_standing(JsonWriter& json, const Answer& answer) {
  json.number("position", answer.position.value);
  json.number("generation", answer.generation);
  if (answer.partial) json.flag("partial", true);
}

}  // namespace

std::string row_json(std::string_view key, const RowAnswer& answer) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("key", key);
  json.raw("row", *answer.json);
  write_standing(json, answer);
  json.end_object();
  return text;
}

std::string rows_json(const RowsAnswer& answer) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.begin_array("rows");
  for (const RowsAnswer::Row& row : answer.rows) {
    json.begin_object();
    json.text("key", row.key);
    json.raw("row", row.json);
    json.end_object();
  }
  json.end_array();
  json.text_or_null("next", answer.next);
  write_standing(json, answer);
  json.end_object();
  return text;
}

}  // namespace cairn::api

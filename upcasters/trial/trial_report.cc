#include "upcasters/trial/trial_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"
#include "upcasters/model/shaped_json.h"

namespace cairn {

namespace {

void write_position(JsonWriter& json, std::size_t index, const std::optional<GlobalPosition>& position) {
  json.number("index", index);
  json.number("position", position ? std::optional(position->value) : std::nullopt);
}

void write_error(JsonWriter& json, const TrialError& error) {
  json.begin_object();
  write_position(json, error.index, error.position);
  json.text("stream", error.stream);
  json.text("type", error.type);
  json.number("version", error.version.value);
  json.text_or_null("key", error.key.empty() ? std::nullopt : std::optional(error.key));
  json.text("file", error.file);
  json.number("line", static_cast<std::uint64_t>(std::max(error.line, 0)));
  json.text("message", error.message);
  json.raw("event", error.event);
  json.end_object();
}

void write_begin(JsonWriter& json, const TrialReport& report) {
  json.flag("complete", report.complete);
  json.number("given", report.given);
  json.number("events", report.applied);
  json.number("passedOver", report.passed_over);
  json.begin_object("passedOverWhy");
  for (const auto& [why, count] : report.passed_over_why) json.number(why, count);
  json.end_object();
  json.number("failed", report.failed);
}

// Names of types may need escapes, which JsonWriter does not make for names of members.
std::string fields_json(const std::map<std::string, std::set<std::string>>& fields_used) {
  std::string text = "{";
  for (const auto& [type, fields] : fields_used) {
    if (text.size() > 1) text += ',';
    append_json_string(text, type);
    text += ':';
    JsonWriter json(text);
    json.begin_array();
    for (const std::string& field : fields) json.text(field);
    json.end_array();
  }
  return text + "}";
}

void write_end(JsonWriter& json, const TrialReport& report) {
  json.number("more", report.more);
  json.begin_array("errors");
  for (const TrialError& error : report.errors) write_error(json, error);
  json.end_array();
  json.number("moreErrors", report.more_errors);
  json.raw("fieldsUsed", fields_json(report.fields_used));
  json.raw("warnings", to_json(report.warnings));
}

}  // namespace

std::string to_json(const std::vector<ScriptWarning>& warnings) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const ScriptWarning& warning : warnings) {
    json.begin_object();
    json.text("kind", warning.kind);
    json.text("message", warning.message);
    json.end_object();
  }
  json.end_array();
  return text;
}

void TrialReport::fail(std::size_t index, bool has_position, const EventView& event, const ShapedEvent& part,
                       std::string key, const ScriptError& error) {
  ++failed;
  if (errors.size() >= kErrorsMax) {
    ++more_errors;
    return;
  }
  errors.push_back({.index = index,
                    .position = has_position ? std::optional(event.position) : std::nullopt,
                    .stream = std::string(event.stream),
                    .type = std::string(part.type),
                    .version = event.version,
                    .key = std::move(key),
                    .file = error.file,
                    .line = error.line,
                    .message = error.message,
                    .event = reported_event_json(event, part, kErrorDataBytesMax)});
}

bool TrialReport::fits(std::size_t bytes, std::size_t count) {
  if (more > 0 || count >= kShownMax || shown_bytes_ + bytes > kShownBytesMax) {
    ++more;
    return false;
  }
  shown_bytes_ += bytes;
  return true;
}

void TrialReport::add(TrialRow row) {
  if (fits(row.key.size() + row.json.size(), rows.size())) rows.push_back(std::move(row));
}

void TrialReport::add(TrialResult result) {
  std::size_t bytes = result.before.size();
  for (const auto& [type, data] : result.after) bytes += data.size();
  if (fits(bytes, results.size())) results.push_back(std::move(result));
}

void TrialReport::end_early(std::string why) {
  complete = false;
  warn("incomplete", std::move(why));
}

void warn_of_absent_fields(const std::map<std::string, std::set<std::string>>& absent, TrialReport& report) {
  for (const auto& [type, fields] : absent) {
    for (const std::string& field : fields) {
      report.warn("absent-field",
                  fmt::format("the script reads {} of {}, and none of these events has it", field, type));
    }
  }
}

std::string rows_report_json(const TrialReport& report) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_begin(json, report);
  json.number("waiting", report.waiting);
  json.number("parked", report.parked);
  json.begin_array("rows");
  for (const TrialRow& row : report.rows) {
    json.begin_object();
    json.text("key", row.key);
    json.raw("row", row.json);
    json.end_object();
  }
  json.end_array();
  write_end(json, report);
  json.end_object();
  return text;
}

std::string results_report_json(const TrialReport& report, std::optional<std::uint32_t> checked_against) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_begin(json, report);
  json.number("checkedAgainst",
              checked_against ? std::optional<std::uint64_t>(*checked_against) : std::nullopt);
  json.begin_array("results");
  for (const TrialResult& result : report.results) {
    json.begin_object();
    write_position(json, result.index, result.position);
    json.text("stream", result.stream);
    json.number("version", result.version.value);
    json.raw("before", result.before);
    json.begin_array("after");
    for (const auto& [type, data] : result.after) {
      json.begin_object();
      json.text("type", type);
      json.raw("data", data);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  write_end(json, report);
  json.end_object();
  return text;
}

}  // namespace cairn

#include "api/upcasters/upcaster_json.h"

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void write_step(JsonWriter& json, const UpcasterHeader& header) {
  json.text("type", header.type);
  json.number("from", header.from);
  json.number("to", header.to);
}

}  // namespace

void append_upcaster_json(std::string& to, const Upcaster& upcaster, WithSource with_source) {
  JsonWriter json(to);
  json.begin_object();
  write_step(json, upcaster.header);
  json.number("revision", upcaster.revision);
  json.text("fingerprint", upcaster.fingerprint);
  json.number("position", upcaster.position.value);
  json.time("installedAt", upcaster.installed_at);
  if (with_source == WithSource::kYes) {
    json.begin_array("produces");
    for (const std::string& type : upcaster.header.produces) json.text(type);
    json.end_array();
    json.text("source", upcaster.source);
  }
  json.end_object();
}

std::string to_json(const Deployed& deployed, DryRun dry_run) {
  return json_object([&](JsonWriter& json) {
    write_step(json, deployed.header);
    json.number("checked", deployed.report.checked);
    json.number("failed", 0);
    json.text("fingerprint", deployed.fingerprint);
    json.number("revision", deployed.revision);
    json.flag("dryRun", dry_run == DryRun::kYes);
    json.flag("unchanged", deployed.unchanged);
  });
}

std::string to_json(const VerificationProgress& progress) {
  return json_object([&](JsonWriter& json) {
    json.number("position", progress.position.value);
    json.number("head", progress.head.value);
    json.number("checked", progress.checked);
    json.number("failed", progress.failed);
  });
}

}  // namespace cairn::api

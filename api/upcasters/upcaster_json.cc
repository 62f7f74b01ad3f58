#include "api/upcasters/upcaster_json.h"

#include "eventstore/base/time_text.h"
#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void append_step(std::string& to, const UpcasterHeader& header) {
  to += R"("type":)";
  append_json_string(to, header.type);
  to += R"(,"from":)";
  append_number(to, header.from);
  to += R"(,"to":)";
  append_number(to, header.to);
}

const char* text_of(bool value) { return value ? "true" : "false"; }

}  // namespace

void append_upcaster_json(std::string& to, const Upcaster& upcaster, WithSource with_source) {
  to += '{';
  append_step(to, upcaster.header);
  to += R"(,"revision":)";
  append_number(to, upcaster.revision);
  to += R"(,"fingerprint":)";
  append_json_string(to, upcaster.fingerprint);
  to += R"(,"position":)";
  append_number(to, upcaster.position.value);
  to += R"(,"installedAt":")";
  append_time(to, upcaster.installed_at);
  to += '"';
  if (with_source == WithSource::kYes) {
    to += R"(,"produces":[)";
    for (std::size_t i = 0; i < upcaster.header.produces.size(); ++i) {
      if (i > 0) to += ',';
      append_json_string(to, upcaster.header.produces[i]);
    }
    to += R"(],"source":)";
    append_json_string(to, upcaster.source);
  }
  to += '}';
}

std::string to_json(const Deployed& deployed, DryRun dry_run) {
  std::string json = "{";
  append_step(json, deployed.header);
  json += R"(,"checked":)";
  append_number(json, deployed.report.checked);
  json += R"(,"failed":0,"fingerprint":)";
  append_json_string(json, deployed.fingerprint);
  json += R"(,"revision":)";
  append_number(json, deployed.revision);
  json += std::string(R"(,"dryRun":)") + text_of(dry_run == DryRun::kYes);
  json += std::string(R"(,"unchanged":)") + text_of(deployed.unchanged);
  return json + "}";
}

std::string to_json(const VerificationProgress& progress) {
  std::string json = R"({"position":)";
  append_number(json, progress.position.value);
  json += R"(,"head":)";
  append_number(json, progress.head.value);
  json += R"(,"checked":)";
  append_number(json, progress.checked);
  json += R"(,"failed":)";
  append_number(json, progress.failed);
  return json + "}";
}

}  // namespace cairn::api

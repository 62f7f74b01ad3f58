#include "tools/cli/schema/registry_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/client/server_url.h"
#include "tools/cli/server/failure_report.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

// Confluent's error codes for missing subjects, versions and levels.
constexpr int kSubjectNotFound = 40401;
constexpr int kVersionNotFound = 40402;
constexpr int kSchemaNotFound = 40403;
constexpr int kNoOwnLevel = 40408;

int code_of(const api::Answer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  const json code = body.is_object() ? body.value("error_code", json()) : json();
  return code.is_number_integer() ? code.get<int>() : 0;
}

Error refused(const api::Answer& answer) {
  return make_error(Errc::kFailedPrecondition, refusal_text(answer));
}

Error unexpected_answer(const api::Answer& answer) {
  return make_error(Errc::kFailedPrecondition,
                    "this is no answer of a schema registry: " + refusal_text(answer));
}

std::string subject_path(const std::string& subject) { return "/subjects/" + api::percent_encoded(subject); }

std::string config_path(const std::string& subject) {
  return subject.empty() ? "/config" : "/config/" + api::percent_encoded(subject);
}

std::string deleted_query(Deleted deleted) { return deleted == Deleted::kIncluded ? "?deleted=true" : ""; }

enum class WithUpcaster : bool { kNo, kYes };

std::string body_of(const SchemaFile& schema, WithUpcaster with = WithUpcaster::kNo) {
  json body = {{"schema", schema.text}};
  if (with == WithUpcaster::kYes && schema.upcaster) {
    body["upcaster"] = schema.upcaster->source;
    body["upcasterFile"] = schema.upcaster->name();
  }
  for (const SchemaReference& reference : schema.references) {
    body["references"].push_back(
        {{"name", reference.name}, {"subject", reference.subject}, {"version", reference.version}});
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T>
Result<std::vector<T>> list_in(const api::Answer& answer) {
  const json list = json::parse(answer.body, nullptr, false);
  std::vector<T> values;
  if (!list.is_array()) return unexpected_answer(answer);
  for (const json& value : list) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) return unexpected_answer(answer);
    } else {
      if (!value.is_number_integer()) return unexpected_answer(answer);
    }
    values.push_back(value.get<T>());
  }
  return values;
}

Result<RegisteredSchema> schema_in(const api::Answer& answer) {
  RegisteredSchema schema{.json = answer.body};
  try {
    const json body = json::parse(answer.body);
    schema.subject = body.at("subject").get<std::string>();
    schema.version = body.at("version").get<int>();
    schema.id = body.at("id").get<int>();
    schema.text = body.at("schema").get<std::string>();
    for (const json& entry : body.value("references", json::array())) {
      schema.references.push_back({entry.at("name").get<std::string>(),
                                   entry.at("subject").get<std::string>(), entry.at("version").get<int>()});
    }
  } catch (const json::exception&) {
    return unexpected_answer(answer);
  }
  return schema;
}

Result<std::string> text_in(const api::Answer& answer, const char* member) {
  const json body = json::parse(answer.body, nullptr, false);
  const json value = body.is_object() ? body.value(member, json()) : json();
  if (!value.is_string()) return unexpected_answer(answer);
  return value.get<std::string>();
}

}  // namespace

Result<std::vector<std::string>> RegistryClient::subjects(Deleted deleted) {
  CAIRN_TRY(const api::Answer answer, client_.get("/subjects" + deleted_query(deleted)));
  if (!answer.ok()) return refused(answer);
  return list_in<std::string>(answer);
}

Result<std::optional<std::vector<int>>> RegistryClient::versions(const std::string& subject,
                                                                 Deleted deleted) {
  using Versions = std::optional<std::vector<int>>;
  CAIRN_TRY(const api::Answer answer,
            client_.get(subject_path(subject) + "/versions" + deleted_query(deleted)));
  if (code_of(answer) == kSubjectNotFound) return Versions();
  if (!answer.ok()) return refused(answer);
  CAIRN_TRY(std::vector<int> versions, list_in<int>(answer));
  return Versions(std::move(versions));
}

Result<std::optional<RegisteredSchema>> RegistryClient::version(const std::string& subject,
                                                                const std::string& version, Deleted deleted) {
  CAIRN_TRY(const api::Answer answer, client_.get(subject_path(subject) + "/versions/" +
                                                  api::percent_encoded(version) + deleted_query(deleted)));
  const int code = code_of(answer);
  if (code == kSubjectNotFound || code == kVersionNotFound) return std::optional<RegisteredSchema>();
  if (!answer.ok()) return refused(answer);
  CAIRN_TRY(RegisteredSchema schema, schema_in(answer));
  return std::optional(std::move(schema));
}

Result<RegistryClient::Lookup> RegistryClient::look_up(const SchemaFile& schema) {
  CAIRN_TRY(const api::Answer answer, client_.post_json(subject_path(schema.subject), body_of(schema)));
  const int code = code_of(answer);
  if (code == kSubjectNotFound) return Lookup{.found = std::nullopt, .not_found = NotFound::kSubject};
  if (code == kSchemaNotFound) return Lookup{.found = std::nullopt, .not_found = NotFound::kSchema};
  if (!answer.ok()) return refused(answer);
  CAIRN_TRY(RegisteredSchema found, schema_in(answer));
  return Lookup{.found = std::move(found)};
}

Result<std::vector<std::string>> RegistryClient::check(const SchemaFile& schema) {
  const std::string path = "/compatibility" + subject_path(schema.subject) + "/versions?verbose=true";
  CAIRN_TRY(const api::Answer answer, client_.post_json(path, body_of(schema)));
  if (!answer.ok()) return refused(answer);
  const json body = json::parse(answer.body, nullptr, false);
  const json verdict = body.is_object() ? body.value("is_compatible", json()) : json();
  if (!verdict.is_boolean()) return unexpected_answer(answer);
  std::vector<std::string> messages;
  if (verdict == true) return messages;
  for (const json& message : body.value("messages", json::array())) {
    if (message.is_string()) messages.push_back(message.get<std::string>());
  }
  if (messages.empty()) messages.emplace_back("the server does not say why");
  return messages;
}

Result<api::Answer> RegistryClient::add(const SchemaFile& schema) {
  return client_.post_json(subject_path(schema.subject) + "/versions", body_of(schema, WithUpcaster::kYes));
}

Result<std::string> RegistryClient::level(const std::string& subject) {
  CAIRN_TRY(const api::Answer answer, client_.get(config_path(subject) + "?defaultToGlobal=true"));
  if (!answer.ok()) return refused(answer);
  return text_in(answer, "compatibilityLevel");
}

Result<std::optional<std::string>> RegistryClient::own_level(const std::string& subject) {
  CAIRN_TRY(const api::Answer answer, client_.get(config_path(subject)));
  const int code = code_of(answer);
  if (code == kNoOwnLevel || code == kSubjectNotFound) return std::optional<std::string>();
  if (!answer.ok()) return refused(answer);
  CAIRN_TRY(std::string level, text_in(answer, "compatibilityLevel"));
  return std::optional(std::move(level));
}

Status RegistryClient::set_level(const std::string& subject, const std::string& level) {
  const json body = {{"compatibility", level}};
  CAIRN_TRY(const api::Answer answer, client_.put_json(config_path(subject), body.dump()));
  if (!answer.ok()) return refused(answer);
  return {};
}

Status RegistryClient::reset_level(const std::string& subject) {
  CAIRN_TRY(const api::Answer answer, client_.remove(config_path(subject)));
  // A subject without a level of its own is in the wanted state.
  if (answer.ok() || code_of(answer) == kNoOwnLevel || code_of(answer) == kSubjectNotFound) return {};
  return refused(answer);
}

Result<std::vector<int>> RegistryClient::remove(const std::string& subject, const std::string& version,
                                                Deletion lasting) {
  std::string path = subject_path(subject);
  if (!version.empty()) path += "/versions/" + api::percent_encoded(version);
  if (lasting == Deletion::kPermanent) path += "?permanent=true";
  CAIRN_TRY(const api::Answer answer, client_.remove(path));
  if (!answer.ok()) return refused(answer);
  if (version.empty()) return list_in<int>(answer);
  const json number = json::parse(answer.body, nullptr, false);
  if (!number.is_number_integer()) return unexpected_answer(answer);
  return std::vector<int>{number.get<int>()};
}

}  // namespace cairn::cli

#include "api/registry/registry_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "api/serving/route_tools.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

constexpr std::uint64_t kNumberMax = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kDefaultContextPrefix = ":.:";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string without_context(std::string_view subject) {
  if (subject.starts_with(kDefaultContextPrefix)) subject.remove_prefix(kDefaultContextPrefix.size());
  return std::string(subject);
}

RegistryError wrong_member(std::string_view name, std::string_view wanted) {
  return {422, 422, "'" + std::string(name) + "' must be " + std::string(wanted)};
}

// The members of an object in a body that was checked. Members that are null count as absent.
class Members {
 public:
  explicit Members(std::string_view object) {
    JsonCursor cursor(object);
    cursor.enter_object();
    while (auto name = cursor.next_name()) {
      const JsonKind kind = cursor.kind();
      const std::string_view raw = cursor.take_raw();
      if (kind != JsonKind::kNull) members_.emplace(*std::move(name), std::pair(kind, raw));
    }
  }

  std::optional<std::pair<JsonKind, std::string_view>> find(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? std::nullopt : std::optional(found->second);
  }
  RegistryResult<std::string> text(std::string_view name) const {
    const auto member = find(name);
    if (!member) return std::string();
    if (member->first != JsonKind::kString) return wrong_member(name, "a string");
    return JsonCursor(member->second).take_string();
  }
  // nullopt for 0 and negative numbers as well: clients write -1 for "not given".
  RegistryResult<std::optional<std::uint32_t>> number(std::string_view name) const {
    const auto member = find(name);
    if (!member) return std::optional<std::uint32_t>();
    std::int64_t value = 0;
    const std::string_view raw = member->second;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    const bool whole = error == std::errc() && end == raw.data() + raw.size();
    if (!whole || value > static_cast<std::int64_t>(kNumberMax))
      return wrong_member(name, "a 32-bit whole number");
    return value > 0 ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
  }

 private:
  std::map<std::string, std::pair<JsonKind, std::string_view>, std::less<>> members_;
};

// A page in a browser cannot send these types to another address without a CORS preflight.
bool is_registry_type(std::string_view type) {
  for (const char* known : {"application/vnd.schemaregistry.v1+json", "application/vnd.schemaregistry+json",
                            "application/json", "application/octet-stream"}) {
    if (same_header_name(type, known)) return true;
  }
  return false;
}

RegistryResult<Members> read_body(const HttpRequest& request) {
  if (!is_registry_type(media_type(request.header("Content-Type").value_or("")))) {
    return RegistryError{415, 415,
                         "Send the body as application/vnd.schemaregistry.v1+json or application/json."};
  }
  if (request.body.empty()) return RegistryError{422, 422, "The request has no body."};
  if (request.body.size() > kRegistryBodyBytesMax) {
    return schema_too_large(fmt::format("a request may have at most {} bytes", kRegistryBodyBytesMax));
  }
  if (const auto fault = check_json(request.body)) {
    return RegistryError{
        400, 400, fmt::format("The body is not valid JSON: {}, at byte {}", fault->message, fault->offset)};
  }
  if (JsonCursor(request.body).kind() != JsonKind::kObject) {
    return RegistryError{422, 422, "The body must be a JSON object."};
  }
  return Members(request.body);
}

RegistryResult<std::vector<ReferenceInput>> read_references(const Members& body) {
  std::vector<ReferenceInput> references;
  const auto member = body.find("references");
  if (!member) return references;
  if (member->first != JsonKind::kArray) return wrong_member("references", "an array");
  JsonCursor cursor(member->second);
  cursor.enter_array();
  while (cursor.next_element()) {
    if (cursor.kind() != JsonKind::kObject) return wrong_member("references", "an array of objects");
    const Members one(cursor.take_raw());
    ReferenceInput reference;
    CAIRN_TRY(reference.name, one.text("name"));
    CAIRN_TRY(const std::string subject, one.text("subject"));
    reference.subject = without_context(subject);
    CAIRN_TRY(reference.version, one.number("version"));
    if (reference.name.empty() || reference.subject.empty()) {
      return invalid_schema("a reference needs a name and a subject");
    }
    references.push_back(std::move(reference));
  }
  return references;
}

std::size_t whole_number(const HttpRequest& request, const char* name) {
  const auto value = json_whole_number(query_text(request, name).value_or(""));
  return value ? static_cast<std::size_t>(std::min(*value, kNumberMax)) : 0;
}

bool is_word(std::string_view text, std::string_view word) { return same_header_name(text, word); }

}  // namespace

std::string subject_of(const HttpRequest& request) {
  return without_context(request.parameters.at("subject"));
}

RegistryResult<std::optional<std::uint32_t>> version_of(const HttpRequest& request) {
  const std::string& text = request.parameters.at("version");
  const std::string_view version = trimmed(text);
  if (is_word(version, "latest") || version == "-1") return std::optional<std::uint32_t>();
  const auto number = json_whole_number(version);
  if (!number || *number == 0 || *number > kNumberMax) return invalid_version(text);
  return std::optional(static_cast<std::uint32_t>(*number));
}

RegistryResult<SchemaId> id_of(const HttpRequest& request) {
  const std::string& text = request.parameters.at("id");
  const auto number = json_whole_number(text);
  if (!number || *number > kNumberMax) return schema_not_found(text);
  return SchemaId{static_cast<std::uint32_t>(*number)};
}

bool flag(const HttpRequest& request, const char* name) {
  return is_word(query_text(request, name).value_or(""), "true");
}

std::optional<std::string> query_text(const HttpRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::nullopt : std::optional(found->second);
}

Shown shown_in(const HttpRequest& request) {
  if (flag(request, "deletedOnly")) return Shown::kDeletedOnly;
  return flag(request, "deleted") ? Shown::kAll : Shown::kLive;
}

Deleted deleted_in(const HttpRequest& request) {
  return flag(request, "deleted") ? Deleted::kIncluded : Deleted::kLeftOut;
}

Normalize normalize_in(const HttpRequest& request) {
  return flag(request, "normalize") ? Normalize::kYes : Normalize::kNo;
}

Window window_of(const HttpRequest& request) {
  return {whole_number(request, "offset"), whole_number(request, "limit")};
}

RegistryResult<SchemaBody> read_schema_body(const HttpRequest& request) {
  CAIRN_TRY(const Members members, read_body(request));
  CAIRN_TRY(const std::string type, members.text("schemaType"));
  if (!type.empty() && type != "AVRO")
    return invalid_schema("the schema type " + type + " is not known, only AVRO is");
  SchemaBody body;
  CAIRN_TRY(body.schema.text, members.text("schema"));
  CAIRN_TRY(body.schema.references, read_references(members));
  CAIRN_TRY(body.version, members.number("version"));
  CAIRN_TRY(const auto id, members.number("id"));
  if (id) body.id = SchemaId{*id};
  CAIRN_TRY(body.upcaster, members.text("upcaster"));
  CAIRN_TRY(body.upcaster_file, members.text("upcasterFile"));
  return body;
}

RegistryResult<RegistryConfig> read_config_body(const HttpRequest& request) {
  CAIRN_TRY(const Members members, read_body(request));
  RegistryConfig config;
  CAIRN_TRY(const std::string level, members.text("compatibility"));
  config.compatibility = parse_compatibility_level(level);
  if (!level.empty() && !config.compatibility) return invalid_compatibility_level();
  if (const auto normalize = members.find("normalize")) {
    if (normalize->first != JsonKind::kBool) return wrong_member("normalize", "true or false");
    config.normalize = normalize->second == "true";
  }
  if (!config.compatibility && !config.normalize) return invalid_compatibility_level();
  return config;
}

RegistryResult<RegistryMode> read_mode_body(const HttpRequest& request) {
  CAIRN_TRY(const Members members, read_body(request));
  CAIRN_TRY(const std::string name, members.text("mode"));
  const auto mode = parse_registry_mode(name);
  if (!mode) return invalid_mode();
  return *mode;
}

}  // namespace cairn::api

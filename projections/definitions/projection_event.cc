#include "projections/definitions/projection_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "upcasters/model/fingerprint.h"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDeployed = "ProjectionDeployed";
constexpr std::string_view kRemoved = "ProjectionRemoved";
constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kLockFile = "lock";  // see FolderLock

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

NewEvent new_event(std::string_view type, const Json& data) {
  NewEvent event;
  event.type = type;
  event.data = data.dump();
  return event;
}

std::optional<std::string> text(const Json& data, const char* name) {
  const auto member = data.find(name);
  if (member == data.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

std::optional<std::uint32_t> number(const Json& data, const char* name) {
  const auto member = data.find(name);
  if (member == data.end() || !member->is_number_unsigned()) return std::nullopt;
  const auto value = member->get<std::uint64_t>();
  if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

}  // namespace

bool is_projection_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), is_name_byte);
}

Status check_new_projection_name(std::string_view name) {
  if (!is_projection_name(name)) {
    return make_error(Errc::kInvalidArgument,
                      "the name of a projection has 1 to 64 letters, digits, '_', '-' and '.', and does not "
                      "begin with '.'");
  }
  if (name == kLockFile) {
    return make_error(
        Errc::kInvalidArgument,
        fmt::format("'{}' cannot be the name of a projection: a file of the store has it", name));
  }
  return {};
}

std::string projection_fingerprint(std::string_view name, std::string_view source) {
  return Fingerprint().add("projection").add(name).add(source).text();
}

NewEvent to_new_event(const ProjectionDefinition& definition) {
  Json data{{"name", definition.name},
            {"revision", definition.revision},
            {"fingerprint", definition.fingerprint},
            {"source", definition.source}};
  if (definition.keep_rows) data["keepRows"] = true;
  return new_event(kDeployed, data);
}

NewEvent to_new_event(const ProjectionRemoval& removal) {
  return new_event(kRemoved, {{"name", removal.name}});
}

Result<ProjectionEvent> read_projection_event(const EventView& stored) {
  if (!stored.type.starts_with("Projection")) return ProjectionEvent(NoProjectionEvent{});
  const std::string where = fmt::format("position {} of the log", stored.position.value);
  if (stored.type != kDeployed && stored.type != kRemoved) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("{} is {}, which a newer program has written; use that program", where, stored.type));
  }
  const Json data = Json::parse(stored.data, nullptr, false);
  if (!data.is_object()) {
    return make_error(Errc::kCorruption, "the definition at " + where + " is not a JSON object");
  }
  const auto lacking = make_error(
      Errc::kCorruption, "the projection at " + where + " lacks a member or has one of a wrong type");
  auto name = text(data, "name");
  // The name becomes a folder name, so it is checked even though it comes from the log.
  if (!name || !is_projection_name(*name)) return lacking;
  if (stored.type == kRemoved) return ProjectionEvent(ProjectionRemoval{*std::move(name)});
  auto source = text(data, "source");
  auto fingerprint = text(data, "fingerprint");
  const auto revision = number(data, "revision");
  if (!source || !fingerprint || !revision) return lacking;
  ProjectionDefinition definition;
  definition.name = *std::move(name);
  definition.source = *std::move(source);
  definition.fingerprint = *std::move(fingerprint);
  definition.revision = *revision;
  definition.keep_rows = data.contains("keepRows") && data["keepRows"] == true;
  definition.position = stored.position;
  definition.deployed_at = stored.recorded_at;
  return ProjectionEvent(std::move(definition));
}

}  // namespace cairn

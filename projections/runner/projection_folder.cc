#include "projections/runner/projection_folder.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "eventstore/base/file.h"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string to_json(const ProjectionRecord& record) {
  Json code = Json::object();
  for (const auto& [number, one] : record.code) {
    code[std::to_string(number)] = {
        {"fingerprint", one.fingerprint}, {"source", one.source}, {"shapes", one.shapes}};
  }
  const Json json{{"format", kFormat},
                  {"definition", record.definition},
                  {"lastGeneration", record.last_generation},
                  {"live", or_null(record.live)},
                  {"building", or_null(record.building)},
                  {"previous", record.previous},
                  {"code", code},
                  {"paused", or_null(record.paused)},
                  {"eventsPerSecondMax", or_null(record.events_per_second_max)}};
  return json.dump(2) + "\n";
}

template <typename T>
std::optional<T> optional_at(const Json& json, const char* name) {
  const Json& value = json.at(name);
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

// Throws the JSON library's exceptions when a member is missing or of another type.
ProjectionRecord parse_record(const Json& json) {
  ProjectionRecord record;
  record.definition = json.at("definition").get<std::string>();
  record.last_generation = json.at("lastGeneration").get<std::uint64_t>();
  record.live = optional_at<std::uint64_t>(json, "live");
  record.building = optional_at<std::uint64_t>(json, "building");
  record.previous = json.at("previous").get<std::vector<std::uint64_t>>();
  for (const auto& [number, one] : json.at("code").items()) {
    record.code[std::stoull(number)] = {one.at("fingerprint").get<std::string>(),
                                        one.at("source").get<std::string>(),
                                        one.at("shapes").get<std::string>()};
  }
  record.paused = optional_at<std::string>(json, "paused");
  record.events_per_second_max = optional_at<std::uint64_t>(json, "eventsPerSecondMax");
  return record;
}

}  // namespace

Result<ProjectionFolder> ProjectionFolder::open(fs::path path) {
  const fs::path file = path / kRecordFile;
  std::error_code error;
  if (!fs::exists(file, error)) return ProjectionFolder(std::move(path), {});
  CAIRN_TRY(const std::string text, read_file(file));
  const Json json = Json::parse(text, nullptr, false);
  const auto damaged = [&](const std::string& why) {
    return make_error(Errc::kCorruption, file.string() + " is damaged: " + why);
  };
  if (!json.is_object() || !json.contains("format")) return damaged("it is not a record of a projection");
  if (json["format"] != kFormat) {
    return make_error(Errc::kFailedPrecondition,
                      file.string() + " was written by a newer program; use that one");
  }
  try {
    return ProjectionFolder(std::move(path), parse_record(json));
  } catch (const std::exception& exception) {
    return damaged(exception.what());
  }
}

Status ProjectionFolder::save(ProjectionRecord record) {
  CAIRN_CHECK(make_folder(path_));
  const fs::path file = path_ / kRecordFile;
  const fs::path fresh = path_ / "projection.json.new";
  CAIRN_CHECK(write_file(fresh, to_json(record)));
  std::error_code error;
  fs::rename(fresh, file, error);
  if (error) return system_error("cannot replace " + file.string(), error.value());
  CAIRN_CHECK(sync_folder(path_));
  CAIRN_CHECK(sync_folder(path_.parent_path()));
  record_ = std::move(record);
  return {};
}

void ProjectionFolder::sweep() {
  std::error_code error;
  // The record may have been renamed by a process that was killed before it synced. What an older record
  // names is removed only when the newer one is durable.
  if (fs::exists(path_, error) && !sync_folder(path_).ok()) return;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename().string();
    if (name == kRecordFile) continue;
    const auto is = [&](std::uint64_t number) { return name == std::to_string(number); };
    bool named = (record_.live && is(*record_.live)) || (record_.building && is(*record_.building));
    for (const std::uint64_t number : record_.previous) named = named || is(number);
    std::error_code ignored;
    if (!named) fs::remove_all(entry.path(), ignored);
  }
}

Status ProjectionFolder::remove() {
  std::error_code error;
  if (const auto kind = fs::symlink_status(path_, error); fs::exists(kind) && !fs::is_directory(kind)) {
    return make_error(Errc::kFailedPrecondition, path_.string() + " is not the folder of a projection");
  }
  // The record first: without it the other files have no meaning, even if removing them fails.
  fs::remove(path_ / kRecordFile, error);
  fs::remove_all(path_, error);
  if (error) return system_error("cannot remove " + path_.string(), error.value());
  return sync_folder(path_.parent_path());
}

}  // namespace cairn

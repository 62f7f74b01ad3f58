#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn {

// What is remembered of a projection between two runs. docs/format.md shows the file.
struct ProjectionRecord {
  struct Code {
    std::string fingerprint;
    std::string source;  // empty for one of the program's own
    std::string shapes;  // shapes_mark() when the generation was begun
  };

  std::string definition;  // the fingerprint that was last acted upon; another one means that it has changed
  std::uint64_t last_generation = 0;
  std::optional<std::uint64_t> live;
  std::optional<std::uint64_t> building;
  std::vector<std::uint64_t> previous;                 // those that rollback leads to, the newest first
  std::map<std::uint64_t, Code> code;                  // that each of them follows the log with
  std::optional<std::string> paused;                   // why
  std::optional<std::uint64_t> events_per_second_max;  // of the building one
};

// The folder of one projection: projection.json, and a folder for each generation. Belongs to one thread at a
// time.
//
// What holds: the record changes in one step, which is durable when save() returns; what it does not name
// means nothing, and is removed by sweep().
class ProjectionFolder {
 public:
  static constexpr const char* kRecordFile = "projection.json";

  // Reads the record; there is an empty one when there is no file. kCorruption when it makes no sense.
  static Result<ProjectionFolder> open(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  const ProjectionRecord& record() const { return record_; }
  std::filesystem::path generation(std::uint64_t number) const { return path_ / std::to_string(number); }
  std::filesystem::path shadow() const { return path_ / "verify"; }

  // Makes the record durable. After a failure the one before still counts.
  Status save(ProjectionRecord record);

  // Removes what the record does not name. What cannot be removed is left for the next time.
  void sweep();

  // Removes all of it.
  Status remove();

 private:
  ProjectionFolder(std::filesystem::path path, ProjectionRecord record)
      : path_(std::move(path)), record_(std::move(record)) {}

  std::filesystem::path path_;
  ProjectionRecord record_;
};

}  // namespace cairn

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn {

// The state of a projection that survives a restart, besides its rows. docs/format.md shows the file.
struct ProjectionRecord {
  struct Code {
    std::string fingerprint;
    std::string source;  // empty for a native (C++) projection
    std::string shapes;  // shapes_mark() when the generation was started
  };

  std::string definition;  // the fingerprint that was last applied; another one starts a build
  std::uint64_t last_generation = 0;
  std::optional<std::uint64_t> live;
  std::optional<std::uint64_t> building;
  std::vector<std::uint64_t> previous;                 // that rollback returns to, the newest first
  std::map<std::uint64_t, Code> code;                  // the definition of each generation
  std::optional<std::string> paused;                   // why
  std::optional<std::uint64_t> events_per_second_max;  // of the generation being built
};

// The folder of one projection: projection.json, and a folder for each generation. Not thread-safe.
//
// Invariant: the record is replaced atomically and is durable when save() returns. Files that it does not
// name have no meaning, and sweep() removes them.
class ProjectionFolder {
 public:
  static constexpr const char* kRecordFile = "projection.json";

  // Reads the record, an empty one when there is no file. kCorruption when it cannot be parsed;
  // kFailedPrecondition when a newer program wrote it.
  static Result<ProjectionFolder> open(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  const ProjectionRecord& record() const { return record_; }
  std::filesystem::path generation(std::uint64_t number) const { return path_ / std::to_string(number); }
  std::filesystem::path verify_folder() const { return path_ / "verify"; }

  // Replaces the record (write, fsync, rename, fsync of the folder). After a failure the old one is valid.
  Status save(ProjectionRecord record);

  // Removes files that the record does not name. Failures are ignored: the next call tries again.
  void sweep();

  // Removes the whole folder.
  Status remove();

 private:
  ProjectionFolder(std::filesystem::path path, ProjectionRecord record)
      : path_(std::move(path)), record_(std::move(record)) {}

  std::filesystem::path path_;
  ProjectionRecord record_;
};

}  // namespace cairn

#pragma once

#include <filesystem>

#include "eventstore/base/file.h"
#include "eventstore/base/result.h"
#include "eventstore/base/uuid.h"
#include "eventstore/options.h"

namespace cairn {

// The folder a store lives in: who it is (cairn.json), where its parts are, and that one process has it.
//
//   cairn.json   identity and format version. With it present, a missing log is damage and never a new store.
//   It
//                begins as cairn.json.new, before anything else is made, and gets its name when all is there
//   lock         held with flock(2) while a process has the store open; names that process
//   log/         the blocks      index/   what is made from them
class DataFolder {
 public:
  // Takes the folder for this process, making a new store where there is nothing yet.
  //   kFailedPrecondition  another process has it, it is on a network file system, or it holds something else
  //   kNotFound            there is no store and none may be made
  //   kCorruption          the identity is there but the log is not, or the other way round
  static Result<DataFolder> claim(const std::filesystem::path& path, CreateIfMissing create);

  // Looks at a store without taking it, to read beside the process that has it.
  static Result<DataFolder> inspect(const std::filesystem::path& path);

  const Uuid& store_id() const { return store_id_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "log"; }
  std::filesystem::path index() const { return path_ / "index"; }

  // Whether there is a store already, or one is being made.
  bool is_store() const { return sealed_; }

  // Says, once the log is made, that this is a store from now on. Nothing if it is one already. Nothing may
  // be appended before.
  Status seal();

 private:
  explicit DataFolder(std::filesystem::path path) : path_(std::move(path)) {}
  Status take_lock();
  Status begin_new();
  Status read_identity();

  std::filesystem::path path_;
  Uuid store_id_;
  bool sealed_ = false;
  std::optional<File> lock_;
};

}  // namespace cairn

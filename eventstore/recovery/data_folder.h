#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/base/file.h"
#include "eventstore/base/result.h"
#include "eventstore/base/siphash.h"
#include "eventstore/base/uuid.h"
#include "eventstore/options.h"
#include "eventstore/types.h"

namespace cairn {

// The folder of a store: its identity, the paths of its parts, and the lock of the process that has it open.
//
//   cairn.json   identity, format of the log, key of ids. With it present, a missing log is damage and never a new
//                store. Written as cairn.json.new before anything else is created, and renamed when all is
//                there.
//   lock         held with flock(2) while a process has the store open; contains its process id
//   log/         the blocks
//   index/       built from the blocks
class DataFolder {
 public:
  // Locks the folder for this process, and begins a new store where there is none.
  //   kFailedPrecondition  another process has it open, it is on a network file system, or it has other files
  //   kNotFound            there is no store and none may be created
  //   kCorruption          the identity is there but the log is not, or the reverse
  // A new store has blocks of `format`.
  static Result<DataFolder> claim(const std::filesystem::path& path, CreateIfMissing create,
                                  LogFormat format = kNewestLogFormat);

  // Opens a store without the lock, to read it beside the process that has it open. Fails with kNotFound and
  // kCorruption as above.
  static Result<DataFolder> inspect(const std::filesystem::path& path);

  const Uuid& store_id() const { return store_id_; }

  // The key of the ids that the store makes (server_id.h). Kept in cairn.json; claim() adds it to a store that
  // was made without one. REQUIRES: claimed.
  const SipKey& id_key() const { return *id_key_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "log"; }
  std::filesystem::path index() const { return path_ / "index"; }

  // True for an existing store; false for one that is being created, until seal().
  bool is_store() const { return sealed_; }

  // The newest format that blocks of the log may have. REQUIRES, for both: claimed.
  LogFormat format() const { return format_; }

  // Makes cairn.json say that there may be blocks of this format, durably, unless it does. Call it before the first
  // such block is written: a program that cannot read the format then refuses the folder. Fails with kDiskFull, and may
  // be tried again.
  Status raise_format(LogFormat format);

  // Ends the creation of a store, once its log is there. Does nothing for an existing one. REQUIRES: nothing
  // is appended before.
  Status seal();

 private:
  explicit DataFolder(std::filesystem::path path) : path_(std::move(path)) {}
  Status take_lock();
  Status begin_new();
  Status read_identity();
  Status add_id_key();
  Status replace_identity(const std::string& text);

  std::filesystem::path path_;
  Uuid store_id_;
  LogFormat format_ = kNewestLogFormat;
  std::optional<SipKey> id_key_;
  bool id_key_stored_ = false;  // else it is for this time only
  bool sealed_ = false;
  std::optional<File> lock_;
};

}  // namespace cairn

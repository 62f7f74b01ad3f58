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
//   cairn.json   identity, format of the log, key of ids, id of the history. With it present, a missing log is
//                damage and never a new store. Written as cairn.json.new before anything else is created, and
//                renamed when all is there.
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

  const Uuid& store_id() const { return identity_.store_id; }

  // The key of the ids that the store makes (server_id.h). Kept in cairn.json; claim() adds it to a store that
  // was made without one. REQUIRES: claimed.
  const SipKey& id_key() const { return *id_key_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "log"; }
  std::filesystem::path index() const { return path_ / "index"; }

  // True for an existing store; false for one that is being created, until seal().
  bool is_store() const { return sealed_; }

  // The newest format that blocks of the log may have. REQUIRES, for both: claimed.
  LogFormat format() const { return identity_.format; }

  // Makes cairn.json say that there may be blocks of this format, durably, unless it does. Call it before the
  // first such block is written: a program that cannot read the format then refuses the folder. Fails with
  // kDiskFull, and may be tried again.
  Status raise_format(LogFormat format);

  // Ends the creation of a store, once its log is there. Does nothing for an existing one. REQUIRES: nothing
  // is appended before.
  Status seal();

  // The id of the history, which a copy of the store does not have: every restore begins another one. claim()
  // makes it where there is none. Durable on return; kDiskFull, and may be tried again. REQUIRES: claimed.
  Result<Uuid> history_id();

  // The text of cairn.json for a copy of this store. REQUIRES: the blocks were copied before.
  static Result<std::string> identity_for_copy(const std::filesystem::path& folder);

 private:
  // What cairn.json says.
  struct Identity {
    LogFormat format = kNewestLogFormat;
    Uuid store_id;
    std::optional<SipKey> id_key;
    std::optional<Uuid> history_id;
  };
  explicit DataFolder(std::filesystem::path path) : path_(std::move(path)) {}
  Status take_lock();
  Status begin_new();
  Status read_identity();
  Status add_what_is_missing();
  static std::string text_of(const Identity& identity);
  static Result<Identity> parse(const std::filesystem::path& file, const std::string& text);
  // Replaces cairn.json, durably; identity_ stays as it is.
  Status replace(const Identity& identity);

  std::filesystem::path path_;
  Identity identity_;             // as in the file, once it is sealed
  std::optional<SipKey> id_key_;  // that of the file, or one for this time only
  bool sealed_ = false;
  std::optional<File> lock_;
};

}  // namespace cairn

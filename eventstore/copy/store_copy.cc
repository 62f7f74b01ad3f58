#include "eventstore/store_copy.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/file.h"
#include "eventstore/copy/index_copy.h"
#include "eventstore/copy/log_copy.h"
#include "eventstore/copy/staged_folder.h"
#include "eventstore/recovery/data_folder.h"
#include "eventstore/verify.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// Verifies a whole store. Damage becomes an error that names the first finding and its place.
Result<VerifyReport> check_store(const fs::path& folder, const CopyProgress& progress) {
  const VerifyProgress shown = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    return !progress || progress(stage == "log" ? "check log" : "check index", done, total);
  };
  CAIRN_TRY(VerifyReport report, verify_store(folder, shown));
  if (report.sound()) return report;
  std::string message = folder.string() + " is damaged";
  if (!report.findings.empty())
    message += ": " + report.findings.front().place + ": " + report.findings.front().what;
  if (report.damage_count > 1) message += fmt::format(", and in {} more places", report.damage_count - 1);
  return make_error(Errc::kCorruption, message);
}

// Whether `inner` is `outer` or a path inside it.
bool lies_within(const fs::path& inner, const fs::path& outer) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(outer, error);
  for (fs::path at = fs::weakly_canonical(inner, error); !error; at = at.parent_path()) {
    if (at == folder) return true;
    if (at == at.parent_path()) return false;
  }
  return false;
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

class StoreCopy {
 public:
  StoreCopy(DataFolder from, StagedFolder to, const CopyOptions& options)
      : from_(std::move(from)), to_(std::move(to)), options_(options) {}

  Result<CopyReport> run() {
    report_.store_id = from_.store_id().to_string();
    // The index is copied first. The log, copied later, then contains every event that the index refers to.
    CAIRN_CHECK(copy_index_tables());
    CAIRN_TRY(const LogCopy log,
              copy_log(from_.log(), to_.path() / "log", from_.store_id(), index_.state, options_.progress));
    report_.blocks = log.blocks;
    report_.head = log.end.last_position.value;
    report_.head_hash = log.blocks > 0 ? to_hex(log.end.hash) : "";
    report_.log_bytes = log.bytes;
    CAIRN_CHECK(write_identity());
    if (options_.check != CopyCheck::kNothing) CAIRN_CHECK(check_copy());
    CAIRN_CHECK(drop_reader_tables());
    report_.bytes = bytes_in(to_.path());
    CAIRN_CHECK(to_.finish());
    return report_;
  }

 private:
  Status copy_index_tables() {
    if (!fs::exists(from_.index() / "data.mdb")) return {};
    const fs::path folder = to_.path() / "index";
    auto copied = copy_index(from_.index(), folder, options_.progress);
    if (copied.ok()) {
      index_ = *std::move(copied);
      report_.indexed_through = index_.state ? index_.state->through.value : 0;
      report_.snapshots = index_.snapshots;
      return {};
    }
    if (copied.error().code != Errc::kCorruption) return copied.error();
    report_.index_left_out = copied.error().message;
    std::error_code error;
    fs::remove_all(folder, error);
    return error ? Status(system_error("removing " + folder.string(), error.value())) : Status();
  }

  // verify_store() checks single pages only if it gets the folder's lock, so the copy needs a lock file.
  Status write_identity() const {
    CAIRN_CHECK(write_file(to_.path() / "lock", ""));
    CAIRN_TRY(const std::string identity, DataFolder::identity_for_copy(from_.path()));
    CAIRN_CHECK(write_file(to_.path() / "cairn.json", identity));
    return sync_folder(to_.path());
  }

  Status check_copy() const {
    CAIRN_TRY(const VerifyReport found, check_store(to_.path(), options_.progress));
    if (found.head == report_.head && found.head_hash == report_.head_hash) return {};
    return make_error(
        Errc::kCorruption,
        fmt::format("the copy in {} ends at position {} with hash {}, and should end at {} with {}",
                    to_.path().string(), found.head, found.head_hash, report_.head, report_.head_hash));
  }

  // lock.mdb lists the readers of this process; LMDB makes a new one when the copy is opened.
  Status drop_reader_tables() const {
    for (const char* const part : {"log", "index"}) {
      const fs::path folder = to_.path() / part;
      if (!fs::exists(folder)) continue;
      std::error_code error;
      fs::remove(folder / "lock.mdb", error);
      if (error) return system_error("removing " + (folder / "lock.mdb").string(), error.value());
      CAIRN_CHECK(sync_folder(folder));
    }
    return {};
  }

  DataFolder from_;
  StagedFolder to_;
  const CopyOptions& options_;
  IndexCopy index_;
  CopyReport report_;
};

}  // namespace

Result<CopyReport> copy_store(const fs::path& from, const fs::path& to, const CopyOptions& options) {
  CAIRN_TRY(DataFolder source, DataFolder::inspect(from));
  if (lies_within(to, from))
    return make_error(Errc::kInvalidArgument, to.string() + " is inside " + from.string());
  CAIRN_TRY(StagedFolder target, StagedFolder::begin(to));
  if (options.check == CopyCheck::kBoth) CAIRN_CHECK(check_store(from, options.progress));
  return StoreCopy(std::move(source), std::move(target), options).run();
}

}  // namespace cairn

#include "eventstore/copy/staged_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStageName = ".partial";
// The files of a store in the order in which they are moved up. cairn.json comes last: it makes a folder a
// store.
constexpr std::array<std::string_view, 4> kStoreParts{"log", "index", "lock", "cairn.json"};

bool is_store_part(std::string_view name) {
  for (const std::string_view part : kStoreParts) {
    if (name == part) return true;
  }
  return false;
}

// The id of the process that has the store in `folder` open; empty when there is none.
std::string holder_of(const fs::path& folder) {
  const auto lock = File::open(folder / "lock", O_RDONLY);
  if (!lock.ok() || flock(lock->descriptor(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return "";
  auto text = read_file(folder / "lock");
  std::string process = text.ok() ? *std::move(text) : "";
  while (!process.empty() && process.back() == '\n') process.pop_back();
  return process.empty() ? "?" : process;
}

Error taken_folder(const fs::path& target) {
  std::string what = "is not empty";
  if (fs::exists(target / "cairn.json")) {
    const std::string process = holder_of(target);
    what = process.empty() ? "already contains a Cairn store" : "is in use by process " + process;
  }
  return make_error(Errc::kInvalidArgument,
                    target.string() + " " + what + "; name a folder that does not exist or is empty");
}

// Whether the folder contains nothing but the files of an unfinished copy, which has no cairn.json yet.
bool is_free(const fs::path& target) {
  const bool unfinished = fs::exists(target / kStageName) && !fs::exists(target / kStoreParts.back());
  for (const auto& entry : fs::directory_iterator(target)) {
    const std::string name = entry.path().filename().string();
    if (name == kStageName || name == "lost+found" || (unfinished && is_store_part(name))) continue;
    return false;
  }
  return true;
}

Status remove_store_parts(const fs::path& folder) {
  std::error_code error;
  for (const std::string_view part : kStoreParts) {
    fs::remove_all(folder / part, error);
    if (error) return system_error("removing an unfinished copy, " + folder.string(), error.value());
  }
  return {};
}

}  // namespace

Result<StagedFolder> StagedFolder::begin(const fs::path& name) {
  fs::path target = fs::absolute(name).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // the name ends with a slash
  const bool there = fs::symlink_status(target).type() != fs::file_type::not_found;
  if (there && !fs::is_directory(target))
    return make_error(Errc::kInvalidArgument, target.string() + " exists and is not a folder");
  if (there && !is_free(target)) return taken_folder(target);
  fs::path stage = there ? target / kStageName : fs::path(target.string() + std::string(kStageName));
  StagedFolder folder(std::move(target), std::move(stage), there);
  CAIRN_CHECK(folder.make());
  return folder;
}

Status StagedFolder::make() {
  if (const Status made = make_folder(path_); !made.ok()) {
    std::error_code error;
    fs::remove(path_, error);  // it may exist without being durable; remove() takes only an empty one
    return made;
  }
  CAIRN_TRY(File lock, File::open(path_, O_RDONLY | O_DIRECTORY));
  if (flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("locking " + path_.string(), errno);
    return make_error(Errc::kFailedPrecondition, "another process is writing " + path_.string());
  }
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (is_store_part(entry.path().filename().string())) continue;
    return make_error(Errc::kInvalidArgument,
                      path_.string() +
                          " is in the way, and contains a file that is not of an unfinished copy: " +
                          entry.path().filename().string());
  }
  lock_.emplace(std::move(lock));
  if (inside_) CAIRN_CHECK(remove_store_parts(target_));
  return remove_store_parts(path_);
}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      inside_(other.inside_),
      lock_(std::exchange(other.lock_, std::nullopt)) {}

StagedFolder::~StagedFolder() {
  if (!lock_) return;
  std::error_code error;
  fs::remove_all(path_, error);  // what cannot be removed is named *.partial and is no store
}

Status StagedFolder::finish() {
  CAIRN_ASSERT(lock_.has_value(), path_);
  CAIRN_CHECK(sync_folder(path_));
  if (inside_) {
    if (const Status moved = move_up(); !moved.ok()) {
      static_cast<void>(remove_store_parts(target_));
      return moved;
    }
  } else if (::rename(path_.c_str(), target_.c_str()) != 0) {
    return system_error("naming " + target_.string(), errno);
  }
  lock_.reset();
  return sync_folder(inside_ ? target_ : target_.parent_path());
}

Status StagedFolder::move_up() {
  for (const std::string_view part : kStoreParts) {
    if (!fs::exists(path_ / part)) continue;  // a copy may have no index
    if (part == kStoreParts.back()) CAIRN_CHECK(sync_folder(target_));
    if (::rename((path_ / part).c_str(), (target_ / part).c_str()) != 0)
      return system_error("moving " + (path_ / part).string(), errno);
  }
  std::error_code error;
  fs::remove(path_, error);
  return {};
}

}  // namespace cairn

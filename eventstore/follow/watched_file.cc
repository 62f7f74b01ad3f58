#include "eventstore/follow/watched_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>

namespace cairn {
namespace {

Result<struct stat> facts_of(const std::filesystem::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) == 0) return facts;
  if (errno == ENOENT || errno == ENOTDIR)
    return make_error(Errc::kCorruption, path.string() + " does not exist any more");
  return system_error("stat of " + path.string(), errno);
}

std::int64_t changed_at(const struct stat& facts) {
  return facts.st_ctim.tv_sec * 1'000'000'000ll + facts.st_ctim.tv_nsec;
}

}  // namespace

Result<WatchedFile> WatchedFile::at(std::filesystem::path path) {
  CAIRN_TRY(const struct stat facts, facts_of(path));
  WatchedFile file;
  file.path_ = std::move(path);
  file.device_ = facts.st_dev;
  file.inode_ = facts.st_ino;
  file.bytes_ = facts.st_size;
  file.changed_at_ = changed_at(facts);
  return file;
}

Status WatchedFile::check() {
  CAIRN_TRY(const struct stat facts, facts_of(path_));
  if (facts.st_dev != device_ || facts.st_ino != inode_)
    return make_error(Errc::kCorruption,
                      path_.string() + " was replaced by another file while it was being read");
  if (facts.st_size < bytes_) {
    return make_error(Errc::kCorruption,
                      fmt::format("{} was truncated from {} to {} bytes while it was being read",
                                  path_.string(), bytes_, facts.st_size));
  }
  bytes_ = facts.st_size;
  return {};
}

Result<bool> WatchedFile::touched() {
  CAIRN_TRY(const struct stat facts, facts_of(path_));
  const bool same = facts.st_dev == device_ && facts.st_ino == inode_ && facts.st_size == bytes_ &&
                    changed_at(facts) == changed_at_;
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  bytes_ = facts.st_size;
  changed_at_ = changed_at(facts);
  return !same;
}

}  // namespace cairn

#include "eventstore/log/log_file_space.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace cairn {
namespace {

constexpr std::uint64_t kStepBytes = 1u << 20;

// A block this large writes so much itself that zeros beforehand would only double it.
constexpr std::uint64_t kLargeBlockBytes = 128u << 10;

}  // namespace

LogFileSpace::LogFileSpace(int descriptor, std::string name, std::uint64_t file_bytes, std::uint64_t fill_bytes)
    : descriptor_(descriptor), name_(std::move(name)), fill_bytes_(fill_bytes), filled_(file_bytes) {
  if (fill_bytes_ > 0) filler_ = std::thread([this] { run(); });
}

LogFileSpace::~LogFileSpace() {
  {
    std::lock_guard lock(wake_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (filler_.joinable()) filler_.join();
}

Status LogFileSpace::reserve(std::uint64_t used, std::uint64_t block_bytes) {
  used_.store(used);
  const bool large = block_bytes >= kLargeBlockBytes;
  const std::uint64_t need = block_bytes + kCommitSlackBytes;
  if (used + need > filled_.load()) {
    std::lock_guard lock(mutex_);
    while (used + need > filled_.load()) {
      const std::uint64_t missing = used + need - filled_.load();
      CAIRN_CHECK(large ? allocate(std::max(missing, fill_bytes_)) : write_zeros(std::max(missing, kStepBytes)));
    }
  }
  if (!large && fill_bytes_ > 0 && filled_.load() - used < fill_bytes_ / 2) {
    std::lock_guard lock(wake_mutex_);
    if (!std::exchange(wanted_, true)) wake_.notify_one();
  }
  return {};
}

Status LogFileSpace::write_zeros(std::uint64_t bytes) {
  static const std::vector<char> kZeros(kStepBytes);
  const std::uint64_t end = filled_.load() + bytes;
  for (std::uint64_t at = filled_.load(); at < end;) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(end - at, kStepBytes));
    const ssize_t wrote = pwrite(descriptor_, kZeros.data(), step, static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error("extending " + name_, errno);
    at += static_cast<std::uint64_t>(wrote);
    filled_.store(at);
  }
  return {};
}

Status LogFileSpace::allocate(std::uint64_t bytes) {
  const std::uint64_t from = filled_.load();
  if (fallocate(descriptor_, 0, static_cast<off_t>(from), static_cast<off_t>(bytes)) == 0) {
    filled_.store(from + bytes);
    return {};
  }
  if (errno == EOPNOTSUPP) return write_zeros(bytes);
  return system_error("extending " + name_, errno);
}

void LogFileSpace::run() {
  std::unique_lock wake_lock(wake_mutex_);
  for (;;) {
    wake_.wait(wake_lock, [this] { return wanted_ || stopping_; });
    if (stopping_) return;
    wanted_ = false;
    wake_lock.unlock();
    bool extended = false;
    while (filled_.load() - used_.load() < fill_bytes_) {
      std::lock_guard lock(mutex_);
      // A full disk is the writer's to report, when it needs the space.
      if (!write_zeros(kStepBytes).ok()) break;
      extended = true;
    }
    // Written back here rather than left to the writer's next sync, which would have to wait for it.
    if (extended) sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
    wake_lock.lock();
  }
}

}  // namespace cairn

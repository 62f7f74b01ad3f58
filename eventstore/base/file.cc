#include "eventstore/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <limits>

#include <cerrno>
#include <utility>

namespace cairn {

Result<File> File::open(const std::filesystem::path& path, int flags, unsigned mode) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (descriptor < 0) {
    const int error_number = errno;
    Error error = system_error("opening " + path.string(), error_number);
    if (error_number == ENOENT) error.code = Errc::kNotFound;
    return error;
  }
  return File(descriptor);
}

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::uint64_t> file_size(int descriptor, const std::filesystem::path& path) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return system_error("reading the size of " + path.string(), errno);
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<std::string> read_file(const std::filesystem::path& path) {
  return read_file(path, std::numeric_limits<std::size_t>::max());
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max) {
  CAIRN_TRY(const File file, File::open(path, O_RDONLY));
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(file.descriptor(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading " + path.string(), errno);
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > bytes_max) {
      return make_error(Errc::kTooLarge,
                        path.string() + " has more than " + std::to_string(bytes_max) + " bytes");
    }
  }
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  CAIRN_TRY(const File file, File::open(path, O_WRONLY | O_CREAT | O_TRUNC));
  while (!content.empty()) {
    const ssize_t wrote = ::write(file.descriptor(), content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error("writing " + path.string(), errno);
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (fsync(file.descriptor()) != 0) return system_error("syncing " + path.string(), errno);
  return {};
}

Status sync_folder(const std::filesystem::path& folder) {
  CAIRN_TRY(const File handle, File::open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
  if (fsync(handle.descriptor()) != 0) return system_error("syncing folder " + folder.string(), errno);
  return {};
}

Status sync_path(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::canonical(folder, error);
  if (error) return system_error("resolving " + folder.string(), error.value());
  struct stat below {
  }, facts{};
  while (at.has_relative_path()) {
    if (stat(at.c_str(), &below) != 0) return system_error("reading " + at.string(), errno);
    at = at.parent_path();
    if (stat(at.c_str(), &facts) != 0) return system_error("reading " + at.string(), errno);
    if (facts.st_dev != below.st_dev || access(at.c_str(), R_OK) != 0) return {};
    CAIRN_CHECK(sync_folder(at));
  }
  return {};
}

Status make_folder(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return {};
  const std::filesystem::path parent = folder.parent_path();
  if (!parent.empty() && !std::filesystem::exists(parent)) CAIRN_CHECK(make_folder(parent));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("making folder " + folder.string(), errno);
  }
  return sync_folder(parent);
}

}  // namespace cairn

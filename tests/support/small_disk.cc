#include "tests/support/small_disk.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/support/child_process.h"

namespace cairn::test {

namespace {

bool run(const std::vector<std::string>& arguments) {
  if (!std::filesystem::exists(arguments[0])) return false;
  return ChildProcess({arguments, {}}).wait().clean();
}

std::string program(const char* name) {
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"}) {
    if (std::filesystem::exists(std::string(folder) + name)) return std::string(folder) + name;
  }
  return name;
}

}  // namespace

SmallDisk::SmallDisk(Kind kind, std::uint64_t bytes) {
  std::filesystem::create_directory(path());
  if (::geteuid() != 0) {
    missing_ = "mounting needs root";
  } else if (kind == Kind::kTmpfs) {
    mounted_ = ::mount("tmpfs", path().c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
    if (!mounted_) missing_ = std::string("mounting a tmpfs: ") + std::strerror(errno);
  } else {
    const std::string image = (folder_ / "image").string();
    const int fd = ::open(image.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const bool made = fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) == 0;
    if (fd >= 0) ::close(fd);
    mounted_ = made && run({program("mkfs.ext4"), "-q", "-F", "-m", "0", "-O", "^has_journal", image}) &&
               run({program("mount"), "-o", "loop", image, path().string()});
    if (!mounted_) missing_ = "making and mounting an ext4 image is not possible here";
  }
}

SmallDisk::~SmallDisk() {
  if (mounted_ && ::umount(path().c_str()) != 0) ::umount2(path().c_str(), MNT_DETACH);
}

void SmallDisk::fill_up() {
  const int fd = ::open((path() / "foreign").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::vector<char> bytes(64 << 10, 'f');
  // Large pieces first, then single bytes into what is left of the last block.
  for (std::size_t size = bytes.size(); size > 0; size /= 2) {
    while (::write(fd, bytes.data(), size) > 0) {
    }
  }
  ::fsync(fd);
  ::close(fd);
}

void SmallDisk::free_up() { std::filesystem::remove(path() / "foreign"); }

}  // namespace cairn::test

#include "tests/support/small_disk.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
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

std::vector<std::string> make_file_system(SmallDisk::Kind kind, const std::string& image) {
  if (kind == SmallDisk::Kind::kXfs) return {program("mkfs.xfs"), "-q", "-f", image};
  std::vector<std::string> command = {program("mkfs.ext4"), "-q", "-F", "-m", "0"};
  if (kind == SmallDisk::Kind::kExt4) command.insert(command.end(), {"-O", "^has_journal"});
  command.push_back(image);
  return command;
}

}  // namespace

SmallDisk::SmallDisk(Kind kind, std::uint64_t bytes, std::string mount_options)
    : mount_options_(std::move(mount_options)) {
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
    mounted_ = made && run(make_file_system(kind, image)) && mount_image();
    if (!mounted_) {
      missing_ = std::string("making and mounting an ") + (kind == Kind::kXfs ? "XFS" : "ext4") +
                 " image is not possible here";
    }
  }
}

SmallDisk::~SmallDisk() {
  if (mounted_ && ::umount(path().c_str()) != 0) ::umount2(path().c_str(), MNT_DETACH);
}

bool SmallDisk::mount_image() {
  const std::string options = mount_options_.empty() ? "loop" : "loop," + mount_options_;
  return run({program("mount"), "-o", options, (folder_ / "image").string(), path().string()});
}

bool SmallDisk::cut_power() {
  // EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN are the same call; 2 asks not to write the journal first.
  constexpr unsigned long kShutdown = _IOR('X', 125, std::uint32_t);
  std::uint32_t without_flushing = 2;
  const int fd = ::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool cut = ::ioctl(fd, kShutdown, &without_flushing) == 0;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return cut;
}

bool SmallDisk::restore_power() {
  if (::umount(path().c_str()) != 0) {
    std::perror("unmounting the disk");
    return false;
  }
  mounted_ = mount_image();
  return mounted_;
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

#include "tests/tools/package/throw_away_root.h"

#include <unistd.h>

namespace cairn::test {

namespace {

constexpr char kHoldRoot[] = R"(
set -e
mount -t tmpfs -o mode=0755 tmpfs "$1"
cd "$1"
mkdir upper work root
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay root
mount --bind /proc root/proc
mount --bind /dev root/dev
mount -t tmpfs -o mode=0755 tmpfs root/run
mount -t tmpfs -o mode=1777 tmpfs root/tmp
echo ready
read -r line || true
)";

}  // namespace

ThrowAwayRoot::ThrowAwayRoot() {
  if (::geteuid() != 0) {
    missing_ = "mounting needs root";
    return;
  }
  holder_.emplace(ChildProcess::Command{{"/usr/bin/env", "unshare", "--mount", "--propagation", "private",
                                         "/bin/sh", "-c", kHoldRoot, "sh", folder_.path().string()},
                                        {}});
  if (holder_->read_line() != "ready")
    missing_ = "an overlay over / cannot be mounted; the reason stands above";
}

std::filesystem::path ThrowAwayRoot::operator/(const std::filesystem::path& path) const {
  return "/proc/" + std::to_string(holder_->pid()) + "/root" + folder_.path().string() + "/root" +
         path.string();
}

std::vector<std::string> ThrowAwayRoot::inside(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {"/usr/bin/env",
                                  "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                                  "LC_ALL=C.UTF-8",
                                  "DEBIAN_FRONTEND=noninteractive",
                                  "nsenter",
                                  "--target",
                                  std::to_string(holder_->pid()),
                                  "--mount",
                                  "chroot",
                                  (folder_ / "root").string()};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Said ThrowAwayRoot::run(const std::vector<std::string>& words) const { return said_by(inside(words)); }

}  // namespace cairn::test

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"

namespace cairn::test {

// This machine's files once more, to be changed at will: what is written stays in memory and is gone with the
// object, and the machine sees nothing of it. Programs in it run as with chroot, with an empty /run and /tmp,
// so that none finds a service manager of the machine. Needs root and an overlay file system.
class ThrowAwayRoot {
 public:
  ThrowAwayRoot();

  // Why there is none; empty when there is.
  const std::string& missing() const { return missing_; }

  // A file in it, as this process reaches it. REQUIRES: `path` is absolute.
  std::filesystem::path operator/(const std::filesystem::path& path) const;

  // The command line that runs the given command inside.
  std::vector<std::string> inside(const std::vector<std::string>& words) const;
  // Runs a program inside, as root, to its end.
  Said run(const std::vector<std::string>& words) const;

 private:
  TempFolder folder_;
  // Holds the mounts, which are its own; with its end they are gone.
  std::optional<ChildProcess> holder_;
  std::string missing_;
};

}  // namespace cairn::test

#include "tests/support/temp_folder.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

namespace cairn::test {

namespace {

std::filesystem::path parent_of(Medium medium) {
  if (medium == Medium::kMemory && ::access("/dev/shm", W_OK) == 0) return "/dev/shm";
  return std::filesystem::temp_directory_path();
}

}  // namespace

TempFolder::TempFolder(Medium medium) {
  std::string name = (parent_of(medium) / "cairn-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    std::perror(("mkdtemp " + name).c_str());
    std::abort();
  }
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::remove_all(to);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

}  // namespace cairn::test

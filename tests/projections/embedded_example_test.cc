// The example of a program with a store inside does what its README says.

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

std::string run_example(const std::filesystem::path& folder) {
  const std::string command = CAIRN_TEST_BIN_DIR "/embedded '" + folder.string() + "' 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string text;
  std::array<char, 4096> bytes;
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe.get())) {
    text.append(bytes.data(), size);
  }
  return text;
}

TEST(EmbeddedExampleTest, PrintsTheRowsAndGoesOnWithThem) {
  const TempFolder folder;
  EXPECT_EQ(run_example(folder / "orders"),
            "ada {\"orders\":3,\"cents\":900}\nbob {\"orders\":2,\"cents\":600}\n");
  EXPECT_EQ(run_example(folder / "orders"),
            "ada {\"orders\":6,\"cents\":1800}\nbob {\"orders\":4,\"cents\":1200}\n");
}

}  // namespace
}  // namespace cairn::test

// The example of a program that embeds the store, as described in its README.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/examples/shell.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

std::string run_example(const std::filesystem::path& folder) {
  return run_shell(folder.parent_path(), "", "embedded '" + folder.string() + "'").output;
}

TEST(EmbeddedExampleTest, PrintsTheRowsAndContinuesWithThem) {
  const TempFolder folder;
  EXPECT_EQ(run_example(folder / "orders"),
            "ada {\"orders\":3,\"cents\":900}\nbob {\"orders\":2,\"cents\":600}\n");
  EXPECT_EQ(run_example(folder / "orders"),
            "ada {\"orders\":6,\"cents\":1800}\nbob {\"orders\":4,\"cents\":1200}\n");
}

}  // namespace
}  // namespace cairn::test

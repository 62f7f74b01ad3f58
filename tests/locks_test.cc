// Every mutex is a Mutex or a SharedMutex of eventstore/base/mutex.h, so that clang's thread safety analysis
// (`./run check`) sees it. A std::mutex would go unchecked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The lines of a source that use the standard library's mutexes, condition variables or locks on them.
std::vector<std::string> unchecked_locks(const std::string& text) {
  static const std::regex kUnchecked(
      R"(\bstd::(mutex|shared_mutex|recursive_mutex|condition_variable(_any)?|lock_guard|unique_lock|shared_lock|scoped_lock)\b)");
  std::vector<std::string> lines;
  std::istringstream source(text);
  for (std::string line; std::getline(source, line);) {
    const std::string code = line.substr(0, line.find("//"));
    if (std::regex_search(code, kUnchecked)) lines.push_back(line);
  }
  return lines;
}

TEST(LocksTest, EveryMutexIsChecked) {
  const fs::path root(CAIRN_SOURCE_DIR);
  for (const char* folder : {"eventstore", "schemaregistry", "upcasters", "projections", "api", "tools"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (path == "eventstore/base/mutex.h") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      EXPECT_THAT(unchecked_locks(text.str()), IsEmpty()) << path;
    }
  }
}

TEST(LocksTest, AnUncheckedMutexIsFound) {
  EXPECT_THAT(unchecked_locks("  std::mutex mutex_;\n  Mutex other_;\n"),
              ElementsAre("  std::mutex mutex_;"));
  EXPECT_THAT(unchecked_locks("// std::mutex has no attributes.\n#include <mutex>\n"), IsEmpty());
}

}  // namespace

#include "eventstore/lmdb/lmdb_env.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/support/matchers.h"
#include "tests/support/scale.h"
#include "tests/support/temp_folder.h"

namespace cairn::lmdb {
namespace {

using test::succeeds;

// The map is resized when no read transaction is open. A thread with an open one that begins a second must
// not wait for the resize: that would be a deadlock.
TEST(LmdbEnvTest, ANestedReadDoesNotWaitForAResize) {
  test::TempFolder folder;
  auto env = Env::open(folder.path(), {.map_bytes = 1u << 20, .tables_max = 1, .readers_max = 1});
  ASSERT_THAT(env, succeeds());
  for (int round = 0; round < 14; ++round) {
    std::atomic<bool> growing = false;
    std::thread grower;
    {
      const auto outer = (*env)->begin_read();
      ASSERT_THAT(outer, succeeds());
      grower = std::thread([&] {
        growing = true;
        EXPECT_THAT((*env)->grow(), succeeds());
      });
      while (!growing) std::this_thread::yield();
      for (int i = 0; i < 1'000; ++i) std::this_thread::yield();  // by now it very likely waits
      const auto inner = (*env)->begin_read();
      ASSERT_THAT(inner, succeeds());
    }
    grower.join();
  }
  EXPECT_EQ((*env)->map_bytes(), (1ull << 20) << 14);
  EXPECT_EQ((*env)->open_readers(), 0u);
}

// LMDB reads its meta pages through the map, which a resize unmaps for a moment: a metrics scrape then died of
// SIGSEGV.
TEST(LmdbEnvTest, TheSizeMayBeAskedForDuringAResize) {
  for (std::size_t round = 0; round < test::rounds(20, 200); ++round) {
    test::TempFolder folder;
    auto env = Env::open(folder.path(), {.map_bytes = 1u << 20, .tables_max = 1, .readers_max = 1});
    ASSERT_THAT(env, succeeds());
    std::atomic<bool> done = false;
    std::thread scraper([&] {
      while (!done) EXPECT_GT((*env)->map_bytes(), (*env)->used_bytes());
    });
    for (int growth = 0; growth < 16; ++growth) EXPECT_THAT((*env)->grow(), succeeds());
    done = true;
    scraper.join();
  }
}

// On overlayfs stat() reports another device for a file than /proc/self/maps.
TEST(LmdbEnvTest, FindsTheMapOnOverlayfs) {
  const test::TempFolder lower(test::Medium::kDisk);
  const test::TempFolder upper(test::Medium::kMemory);
  for (const char* name : {"changes", "work", "all"}) std::filesystem::create_directory(upper / name);
  const std::string options = "lowerdir=" + lower.path().string() +
                              ",upperdir=" + (upper / "changes").string() +
                              ",workdir=" + (upper / "work").string();
  const std::filesystem::path all = upper / "all";
  if (::mount("overlay", all.c_str(), "overlay", 0, options.c_str()) != 0) {
    GTEST_SKIP() << "NO OVERLAY IS TESTED, mounting one: " << std::strerror(errno);
  }
  for (const char* name : {"plain", "two\nlines"}) {
    std::filesystem::create_directory(all / name);
    EXPECT_THAT(Env::open(all / name, {.map_bytes = 1u << 20, .tables_max = 1, .readers_max = 1}),
                succeeds());
  }
  ::umount(all.c_str());
}

}  // namespace
}  // namespace cairn::lmdb

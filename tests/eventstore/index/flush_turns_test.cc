// A flush of the index is thousands of small transactions, so that whoever writes to the disk meanwhile need not wait for long.
// Others who write to the index have their turns between them, and who waits for the flush itself need not wait for them all.

#include <atomic>
#include <string>
#include <thread>

#include <lmdb.h>

#include "eventstore/index/index.h"
#include "tests/support/matchers.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

constexpr std::uint64_t kStreamsInFlush = 20'000;  // some 300 transactions
constexpr std::uint64_t kSnapshotsBetween = 20;

void fill(Generation& generation) {
  for (std::uint64_t i = 1; i <= kStreamsInFlush; ++i) {
    StreamHead head;
    head.advance({i}, {});
    generation.heads.put("order-" + std::to_string(i), head);
  }
  generation.last_position = {kStreamsInFlush};
}

TEST(FlushTurnsTest, SnapshotsNeedNotWaitForTheEndOfAFlush) {
  const TempFolder folder;
  auto index = Index::open(folder.path(), {.map_bytes = 1u << 30});
  ASSERT_THAT(index, succeeds());
  Generation generation;
  fill(generation);

  std::thread snapshots;
  std::atomic<bool> is_asking = false;  // and stays so when all are written
  std::atomic<std::uint64_t> slices = 0;
  std::uint64_t slices_when_done = 0;
  const auto write_snapshots = [&] {
    for (std::uint64_t version = 1; version <= kSnapshotsBetween; ++version) {
      const SnapshotRecord one{"order-1", {version}, "state"};
      is_asking = true;
      is_asking.notify_all();
      ASSERT_THAT((*index)->put_snapshots({&one, 1}, {}), succeeds());
      is_asking = version == kSnapshotsBetween;
    }
    slices_when_done = slices;
    is_asking.notify_all();
  };
  // Asked before each transaction of the flush, which goes on when somebody else wants to write.
  const auto hurry = [&] {
    if (++slices == 1) snapshots = std::thread(write_snapshots);
    is_asking.wait(false);
    return false;
  };
  EXPECT_THAT((*index)->flush(generation, Uuid(), 0, hurry), succeeds());
  const std::uint64_t slices_in_all = slices;
  snapshots.join();
  ASSERT_GT(slices_in_all, 5 * kSnapshotsBetween);
  EXPECT_LT(slices_when_done, slices_in_all / 2) << "of " << slices_in_all;
}

// How many transactions the index in this folder has had.
std::uint64_t transactions_in(const std::filesystem::path& folder) {
  MDB_env* env = nullptr;
  MDB_envinfo facts{};
  EXPECT_EQ(mdb_env_create(&env), 0);
  EXPECT_EQ(mdb_env_open(env, folder.c_str(), MDB_RDONLY, 0600), 0) << folder;
  EXPECT_EQ(mdb_env_info(env, &facts), 0);
  mdb_env_close(env);
  return facts.me_last_txnid;
}

class ClosingTest : public StoreTest {};

TEST_F(ClosingTest, TheLastFlushHurries) {
  AppendRequest request;
  for (int i = 1; i <= 5'000; ++i) {
    request.streams.push_back({.stream = "order-" + std::to_string(i), .events = {{.type = "Placed", .data = "{}"}}});
  }
  options_.tail_events_flush = 1u << 18;
  ASSERT_THAT(submit(std::move(request)), succeeds());
  close();
  EXPECT_LT(transactions_in(folder_ / "index"), 10u);
}

}  // namespace
}  // namespace cairn::test

// A background flush of the index uses many small transactions, so that the log's syncs do not wait for long.
// A flush that a caller waits for uses few large ones.

#include <filesystem>
#include <string>

#include <lmdb.h>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

// The number of transactions that were committed to the index in this folder.
std::uint64_t transactions_in(const std::filesystem::path& folder) {
  MDB_env* env = nullptr;
  MDB_envinfo facts{};
  EXPECT_EQ(mdb_env_create(&env), 0);
  EXPECT_EQ(mdb_env_open(env, folder.c_str(), MDB_RDONLY, 0600), 0) << folder;
  EXPECT_EQ(mdb_env_info(env, &facts), 0);
  mdb_env_close(env);
  return facts.me_last_txnid;
}

class FlushTest : public StoreTest {};

TEST_F(FlushTest, ClosingUsesFewTransactions) {
  for (int batch = 0; batch < 5; ++batch) {
    AppendRequest request;
    for (int i = 0; i < 1'000; ++i) {
      const std::string stream = "order-" + std::to_string(batch * 1'000 + i);
      request.streams.push_back({.stream = stream, .events = {event("Placed")}});
    }
    ASSERT_THAT(submit(std::move(request)), succeeds());
  }
  close();
  EXPECT_LT(transactions_in(folder() / "index"), 10u);
}

// Names of streams may have 250 bytes and be categories of their own: memory, and not the number of events,
// is what a client can make large.
TEST_F(FlushTest, MemoryOfTheTailIsBounded) {
  constexpr std::size_t kBound = 4u << 20;
  options().tail_bytes_max = kBound;
  reopen();
  std::size_t most = 0;
  for (int batch = 0; batch < 60; ++batch) {
    AppendRequest request;
    for (int i = 0; i < 500; ++i) {
      std::string stream = std::to_string(batch * 500 + i);
      stream.resize(200, 'x');
      request.streams.push_back({.stream = stream, .events = {event("Placed")}});
    }
    ASSERT_THAT(submit(std::move(request)), succeeds());
    most = std::max<std::size_t>(most, store().stats().tail_bytes);
  }
  EXPECT_GT(store().stats().flushes, 2u);
  EXPECT_GT(most, kBound / 4);
  EXPECT_LT(most, kBound + kBound / 4) << "the bound, and one block";
  EXPECT_EQ(store().stats().events, 30'000u);
}

}  // namespace
}  // namespace cairn::test

#include "eventstore/append/event_id_maker.h"

#include <set>

#include <gtest/gtest.h>

namespace cairn::test {
namespace {

TEST(EventIdMakerTest, IdsAreUniqueAcrossMakersAndContainTheTime) {
  constexpr std::int64_t kMs = 1'700'000'000'123;
  std::set<Uuid> ids;
  for (int maker = 0; maker < 10; ++maker) {
    EventIdMaker ids_of_a_store;
    for (int i = 0; i < 1'000; ++i) {
      const Uuid id = ids_of_a_store.make(Timestamp{kMs * 1000 + 999});
      EXPECT_TRUE(ids.insert(id).second) << id.to_string();
      ASSERT_EQ(id.high() >> 16, static_cast<std::uint64_t>(kMs));
      ASSERT_EQ(id.to_string()[14], '7');
    }
  }
}

}  // namespace
}  // namespace cairn::test

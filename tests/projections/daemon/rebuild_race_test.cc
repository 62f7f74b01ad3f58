// A projection that is redeployed in a loop while writers append and readers read: each page is of one
// generation, and never older than a page that was read before.

#include <atomic>
#include <thread>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/projections/daemon/killed_projection.h"
#include "tests/support/scale.h"

#include <nlohmann/json.hpp>

namespace cairn::test {
namespace {

class RebuildRaceTest : public DaemonTest {
 protected:
  RebuildRaceTest() {
    daemon_options().batch_positions_max = 200;
    daemon_options().commit_events_max = 1'000;
    daemon_options().clock = system_time;
  }

  void expect_page_of_one_generation(const RowsAnswer& page, std::uint64_t& last_position,
                                     std::uint64_t& last_generation) {
    EXPECT_GE(page.position.value, last_position);
    EXPECT_GE(page.generation, last_generation);
    last_position = page.position.value;
    last_generation = page.generation;
    std::optional<std::int64_t> variant;
    for (const auto& row : page.rows) {
      const auto json = nlohmann::json::parse(row.json);
      const auto its = json["variant"].get<std::int64_t>();
      EXPECT_EQ(variant.value_or(its), its) << "rows of two generations in one page";
      variant = its;
    }
  }
};

TEST_F(RebuildRaceTest, ReadersNeverSeeAnOlderGeneration) {
  has_projection(kKilledProjection, killed_source(0));
  daemon().start();
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      std::vector<NewEvent> events;
      for (int k = 0; k < 10; ++k)
        events.push_back(event("Added", added_json("c" + std::to_string((i + k) % 40), k)));
      append("order-" + std::to_string(i % 5), std::move(events));
    }
  });
  std::thread reader([&] {
    std::uint64_t position = 0, generation = 0;
    RowsQuery query;
    query.limit = 1'000;
    while (!stop) {
      const auto page = daemon().rows(kKilledProjection, query);
      if (page) expect_page_of_one_generation(*page, position, generation);
    }
  });
  for (std::size_t i = 1; i <= rounds(6, 60); ++i) {
    EXPECT_EQ(deploy_projection(kKilledProjection, killed_source(i % kKilledVariants)),
              "deployed " + std::to_string(i + 1));
    const std::string wanted = projection_fingerprint(kKilledProjection, killed_source(i % kKilledVariants));
    // Until it has taken over, with writers at work.
    while (status(kKilledProjection).fingerprint != wanted) {
      std::promise<void> moved;
      daemon().wait_for(kKilledProjection, {store().head().value + 1}, std::chrono::seconds(20),
                        [&](bool) { moved.set_value(); });
      moved.get_future().wait();
    }
  }
  stop = true;
  writer.join();
  reader.join();
  std::promise<bool> there;
  daemon().wait_for(kKilledProjection, store().head(), std::chrono::minutes(1),
                    [&](bool reached) { there.set_value(reached); });
  ASSERT_TRUE(there.get_future().get());
  std::int64_t counted = 0;
  for (const auto& [key, json] : rows(kKilledProjection, false, 1'000)) {
    counted += nlohmann::json::parse(json)["n"].get<std::int64_t>();
  }
  std::int64_t added = 0;
  EXPECT_THAT(store().scan({.filter = {{}, {"Added"}}},
                           [&](const EventView&) {
                             ++added;
                             return true;
                           }),
              succeeds());
  EXPECT_EQ(counted, added);
}

}  // namespace
}  // namespace cairn::test

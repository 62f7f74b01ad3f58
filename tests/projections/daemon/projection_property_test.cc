// Rows and parked keys against a simple model, whatever the sizes of batches and commits, the number of
// partitions, restarts and rebuilds in between.

#include <map>

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

const std::string kScript = projection(
    "    Added = function(row, event)\n"
    "      row.log = row.log or array {}\n"
    "      row.log[#row.log + 1] = event.data.cents\n"
    "      if event.data.cents == 13 then error('unlucky') end\n"
    "      if #row.log > 5 then table.remove(row.log, 1) end\n"
    "    end,\n"
    "    Removed = function() return DELETE end,",
    " key = function(event) return event.data.customer end,");

// What the rows must be.
class Model {
 public:
  void take(const std::string& type, const std::string& key, std::int64_t cents, std::uint64_t position) {
    if (auto parked = parked_.find(key); parked != parked_.end()) {
      ++parked->second.second;
      return;
    }
    if (type == "Removed") {
      rows_.erase(key);
      return;
    }
    if (cents == 13) {
      parked_[key] = {position, 0};
      return;
    }
    auto& log = rows_[key];
    log.push_back(cents);
    if (log.size() > 5) log.erase(log.begin());
  }

  Rows rows() const {
    Rows found;
    for (const auto& [key, log] : rows_) {
      std::string json = "{\"log\":[";
      for (const std::int64_t cents : log) json += (json.back() == '[' ? "" : ",") + std::to_string(cents);
      found[key] = json + "]}";
    }
    return found;
  }
  std::vector<std::string> parked() const {
    std::vector<std::string> found;
    for (const auto& [key, entry] : parked_) {
      found.push_back(key + "@" + std::to_string(entry.first) + " +" + std::to_string(entry.second) +
                      " script");
    }
    return found;
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> rows_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> parked_;
};

class ProjectionPropertyTest : public DaemonTest {
 protected:
  void append_some(Random& random, Model& model) {
    std::vector<NewEvent> events;
    struct Told {
      std::string type, key;
      std::int64_t cents;
    };
    std::vector<Told> told;
    const std::uint64_t count = random.one_in(5) ? random.between(600, 2'000) : random.between(1, 30);
    for (std::uint64_t i = 0; i < count; ++i) {
      Told one{random.one_in(15) ? "Removed" : "Added", "c" + std::to_string(random.below(60)),
               random.one_in(400) ? 13 : static_cast<std::int64_t>(14 + random.below(1'000))};
      events.push_back(event(one.type, added_json(one.key, one.cents)));
      told.push_back(std::move(one));
    }
    std::uint64_t position =
        append("order-" + std::to_string(random.below(5)), std::move(events)).first_position.value;
    for (const Told& one : told) model.take(one.type, one.key, one.cents, position++);
  }
};

TEST_F(ProjectionPropertyTest, RowsAreTheFoldOfTheLog) {
  Random random("ProjectionPropertyTest");
  Model model;
  has_projection("customers", kScript);
  for (std::size_t round = 0; round < rounds(60, 600); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed " + std::to_string(random.seed()));
    append_some(random, model);
    if (random.one_in(3)) {
      // Some of it, and then other sizes.
      for (std::uint64_t i = random.below(4); i > 0; --i) daemon().run_once();
      close_daemon();
      daemon_options().partitions = static_cast<unsigned>(random.between(1, 4));
      daemon_options().batch_positions_max = random.between(1, 3'000);
      daemon_options().commit_events_max = random.between(1, 3'000);
      daemon_options().cache_bytes_max = random.one_in(2) ? 1 : 64u << 20;
    }
    if (random.one_in(5) && daemon().status("customers")->rebuild == std::nullopt) {
      ASSERT_THAT(daemon().rebuild("customers", std::nullopt), succeeds());
    }
    settle();
    ASSERT_EQ(rows("customers", false, 7), model.rows());
    ASSERT_EQ(parked("customers"), model.parked());
    ASSERT_EQ(status("customers").position.value, head());
  }
  ASSERT_THAT(daemon().verify("customers"), succeeds());
  settle();
  EXPECT_TRUE(daemon().verify_report("customers")->is_equal());
}

}  // namespace
}  // namespace cairn::test

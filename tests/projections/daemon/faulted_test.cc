// A faulted projection reports why, keeps answering from its rows, and does not affect other projections.

#include <fstream>
#include <iterator>

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Rows that cannot be read back for as long as `broken` holds.
class BrokenRows final : public ProjectionRows {
 public:
  explicit BrokenRows(const bool& broken) : broken_(broken) {}

  Result<void, ApplyFault> key_of(const EventView& event, const ShapedEvent&, std::string& key) override {
    key = event.stream;
    return {};
  }
  bool load(std::uint32_t slot, std::string_view saved) override {
    if (slot >= rows_.size()) rows_.resize(slot + 1);
    rows_[slot] = saved;
    return saved.empty() || !broken_;
  }
  Result<void, ApplyFault> apply(std::uint32_t slot, const EventView&, const ShapedEvent&) override {
    rows_[slot] += '1';
    return {};
  }
  Result<void, ApplyFault> save(std::uint32_t slot, std::string& to) override {
    to += rows_[slot];
    return {};
  }
  void clear() override { rows_.clear(); }
  std::size_t memory_used() const override { return 1u << 30; }  // so that rows are read for each batch

 private:
  const bool& broken_;
  std::vector<std::string> rows_;
};

class BrokenProjection final : public Projection {
 public:
  explicit BrokenProjection(const bool& broken) : broken_(broken) {}
  const ProjectionInfo& info() const override { return info_; }
  ScriptResult<std::unique_ptr<ProjectionRows>> make_rows() const override {
    return std::unique_ptr<ProjectionRows>(std::make_unique<BrokenRows>(broken_));
  }
  Status append_json(std::string_view saved, std::string& to) const override {
    to += saved;
    return {};
  }

 private:
  const bool& broken_;
  const ProjectionInfo info_{"broken", "1", {{}, {"Added"}}};
};

class FaultedTest : public DaemonTest {
 protected:
  bool broken_ = false;
};

TEST_F(FaultedTest, AFaultIsReportedAndResumeTriesAgain) {
  ASSERT_THAT(daemon().add(std::make_shared<BrokenProjection>(broken_)), succeeds());
  has_projection("customers", kByCustomer);
  added("order-1", "ada", 1);
  settle();
  EXPECT_EQ(row("broken", "order-1"), "1");
  broken_ = true;
  added("order-1", "ada", 1);
  settle();
  EXPECT_EQ(state("broken"), "faulted");
  EXPECT_THAT(status("broken").reason, HasSubstr("the row 'order-1' is not a saved row"));
  EXPECT_THAT(status("broken").last_error->message, HasSubstr("order-1"));
  for (int i = 0; i < 5; ++i) daemon().run_once();
  ASSERT_EQ(lines("projection-faulted").size(), 1u) << "once";
  EXPECT_EQ(lines("projection-faulted")[0].level, LogLevel::kError);
  EXPECT_THAT(lines("projection-faulted")[0].message, HasSubstr("Projection broken is faulted at position "));
  EXPECT_EQ(row("broken", "order-1"), "1") << "committed rows keep answering";
  EXPECT_EQ(row("customers", "ada"), R"({"n":2,"sum":2})");
  ASSERT_THAT(daemon().resume("broken"), succeeds());
  settle();
  EXPECT_EQ(state("broken"), "faulted");
  broken_ = false;
  ASSERT_THAT(daemon().resume("broken"), succeeds());
  settle();
  EXPECT_EQ(state("broken"), "running");
  EXPECT_EQ(lines("projection-faulted").size(), 2u) << "after each resume once";
  EXPECT_EQ(lines("projection-recovered").size(), 1u);
  EXPECT_EQ(row("broken", "order-1"), "11");
}

TEST_F(FaultedTest, ADamagedReadModelIsRebuilt) {
  has_projection("customers", kByCustomer);
  added("order-1", "ada-with-a-name-of-her-own", 1);
  settle();
  const Rows before = rows("customers");
  close_daemon();
  const auto file = folder() / "readmodels" / "customers" / "1" / "data.mdb";
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const std::size_t at = bytes.rfind("ada-with-a-name-of-her-own");
  ASSERT_NE(at, std::string::npos);
  stream.clear();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put('A');
  stream.close();
  settle();
  EXPECT_EQ(rows("customers"), before);
  EXPECT_EQ(status("customers").generation, 2u);
  EXPECT_THAT(said(), Contains(HasSubstr("generation 1 cannot be used")));
}

}  // namespace
}  // namespace cairn::test

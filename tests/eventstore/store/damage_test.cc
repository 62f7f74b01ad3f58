// Bit rot and other damage to the files: every read returns the right answer or kCorruption, never a wrong
// answer, and never crashes.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class DamageTest : public StoreTest {
 protected:
  static constexpr int kCleanError = 10;

  // Blocks of one small event (inside leaf pages), of many events, and of several pages; one part is flushed
  // to the index, one is not.
  void SetUp() override {
    std::uint64_t n = 1;
    auto block = [&](std::size_t count, std::size_t bytes) {
      std::vector<NewEvent> events;
      for (std::size_t i = 0; i < count; ++i) events.push_back(numbered_event(n++, bytes));
      append("cart-" + std::to_string(n % 5), std::move(events));
    };
    for (int i = 0; i < 25; ++i) block(1, 60);
    block(40, 50);
    block(1, 9'000);
    flush();
    for (int i = 0; i < 5; ++i) block(2, 300);
    block(12, 1'000);
    close();
    events_ = n - 1;
    copy_folder(folder(), pristine_ / "data");
    pristine_log_ = bytes_of(pristine_ / "data/log/data.mdb");
    pristine_index_ = bytes_of(pristine_ / "data/index/data.mdb");
    pristine_journal_ = bytes_of(pristine_ / "data/log/journal");
    ASSERT_EQ(read_all_of(pristine_ / "data").code, 0) << output_;
    right_ = output_;
    restore();
  }

  void restore() { copy_pristine(damaged_); }
  void copy_pristine(const fs::path& to) {
    fs::create_directories(to / "log");
    fs::create_directories(to / "index");
    fs::copy_file(pristine_ / "data/cairn.json", to / "cairn.json", fs::copy_options::overwrite_existing);
    write_bytes(to / "log/journal", pristine_journal_);
    write_bytes(to / "log/data.mdb", pristine_log_);
    write_bytes(to / "index/data.mdb", pristine_index_);
  }

  Exit read_all_of(const fs::path& data) {
    ChildProcess child({{test_program("read_all_child").string(), data.string()}, {}});
    output_ = child.read_line().value_or("");
    return child.wait();
  }

  // Damages a copy with `change`, reads all of it, and checks the answers.
  template <typename Change>
  void expect_no_lie(const std::string& what, Change change) {
    const bool in_log = !random_.one_in(3);
    expect_no_lie(what, in_log, change);
  }
  template <typename Change>
  void expect_no_lie(const std::string& what, bool in_log, Change change) {
    std::string bytes = in_log ? pristine_log_ : pristine_index_;
    const std::string how = change(bytes);
    restore();
    write_bytes(damaged_ / (in_log ? "log/data.mdb" : "index/data.mdb"), bytes);
    const Exit exit = read_all_of(damaged_);
    SCOPED_TRACE(what + " in the " + (in_log ? "log" : "index") + ", " + how + ", seed " +
                 std::to_string(random_.seed()));
    EXPECT_EQ(exit.signal, 0) << describe(exit) << " " << output_;
    EXPECT_TRUE(exit.code == 0 || exit.code == kCleanError) << describe(exit) << " " << output_;
    if (exit.signal == 0 && exit.code == 0) {
      EXPECT_EQ(output_, right_) << "a wrong answer";
      ++unharmed_;
    } else {
      ++reported_;
    }
  }

  // A page that is not empty: damage to preallocated space proves nothing.
  std::size_t used_page(const std::string& bytes) {
    for (;;) {
      const std::size_t page = random_.below(bytes.size() / 4096);
      if (bytes.compare(page * 4096, 4096, std::string(4096, '\0')) != 0) return page;
    }
  }

  void expect_both_kinds() {
    std::printf("[   NOTE   ] %zu reported, %zu without effect\n", reported_, unharmed_);
    EXPECT_GT(reported_, 0u) << "no damage was ever noticed, so nothing was tested";
  }

  Random random_{"DamageTest"};
  TempFolder pristine_;
  TempFolder damaged_folder_;
  fs::path damaged_ = damaged_folder_ / "data";
  std::string pristine_log_, pristine_index_, pristine_journal_, right_, output_;
  std::uint64_t events_ = 0;
  std::size_t reported_ = 0, unharmed_ = 0;
};

TEST_F(DamageTest, ASingleFlippedBit) {
  const std::size_t count = rounds(150, 10'000);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    expect_no_lie("flip", [&](std::string& bytes) {
      const std::size_t at = used_page(bytes) * 4096 + random_.below(4096), bit = random_.below(8);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      return "byte " + std::to_string(at) + " bit " + std::to_string(bit);
    });
  }
  expect_both_kinds();
}

// LMDB trusts its page headers and node tables; they are at the front of each page.
TEST_F(DamageTest, AFlippedBitAtTheFrontOfAPage) {
  const std::size_t count = rounds(100, 5'000);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    expect_no_lie("flip", [&](std::string& bytes) {
      const std::size_t page = used_page(bytes), at = page * 4096 + random_.below(page < 2 ? 160 : 48),
                        bit = random_.below(8);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      return "byte " + std::to_string(at) + " (page " + std::to_string(page) + ") bit " + std::to_string(bit);
    });
  }
  expect_both_kinds();
}

// The pages that locate everything else: LMDB's meta pages, and the page with the names of the tables.
TEST_F(DamageTest, AFlippedBitInAPageThatLocatesTheTables) {
  constexpr std::size_t kMetaBytes = 16 + 136;
  std::vector<std::pair<bool, std::size_t>> places;
  for (std::size_t at = 0; at < kMetaBytes; ++at) {
    for (const std::size_t page : {0, 4096}) {
      places.push_back({true, page + at});
      places.push_back({false, page + at});
    }
  }
  // There may be older copies of that page.
  for (std::size_t page = 0; page < pristine_index_.size(); page += 4096) {
    if (pristine_index_.find("streams", page) >= page + 4096) continue;
    for (std::size_t at = page; at < page + 4096; ++at) {
      if (pristine_index_[at] != 0) places.push_back({false, at});
    }
  }
  const std::size_t flips = places.size() * 8, count = rounds(150, flips);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    const std::size_t flip = nightly() ? i : random_.below(flips), bit = flip % 8;
    const auto [in_log, at] = places[flip / 8];
    expect_no_lie("flip", in_log, [&, at = at](std::string& bytes) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      return "byte " + std::to_string(at) + " bit " + std::to_string(bit);
    });
  }
  expect_both_kinds();
}

TEST_F(DamageTest, AZeroedSector) {
  const std::size_t count = rounds(50, 1'000);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    expect_no_lie("zeroed sector", [&](std::string& bytes) {
      const std::size_t sector = used_page(bytes) * 8 + random_.below(8);
      bytes.replace(sector * 512, 512, std::string(512, '\0'));
      return "sector " + std::to_string(sector);
    });
  }
  expect_both_kinds();
}

TEST_F(DamageTest, TwoSwappedPages) {
  const std::size_t count = rounds(50, 1'000);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    expect_no_lie("swapped pages", [&](std::string& bytes) {
      const std::size_t a = used_page(bytes), b = used_page(bytes);
      const std::string first = bytes.substr(a * 4096, 4096), second = bytes.substr(b * 4096, 4096);
      bytes.replace(a * 4096, 4096, second).replace(b * 4096, 4096, first);
      return std::to_string(a) + " and " + std::to_string(b);
    });
  }
  expect_both_kinds();
}

TEST_F(DamageTest, ATruncatedFile) {
  const std::size_t count = rounds(30, 500);
  // Under a sanitizer there are few rounds, and truncating preallocated space does no harm.
  for (std::size_t i = 0; (i < count || (reported_ == 0 && i < 100)) && !HasFailure(); ++i) {
    expect_no_lie("cut", [&](std::string& bytes) {
      bytes.resize(random_.one_in(2) ? random_.below(bytes.size())
                                     : random_.below(bytes.size() / 4096) * 4096);
      return "to " + std::to_string(bytes.size());
    });
  }
  expect_both_kinds();
}

TEST_F(DamageTest, GarbageOverAWholePage) {
  const std::size_t count = rounds(30, 500);
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    expect_no_lie("garbage", [&](std::string& bytes) {
      const std::size_t page = used_page(bytes);
      bytes.replace(page * 4096, 4096, numbered_data(random_.next(), 4096));
      return "page " + std::to_string(page);
    });
  }
  expect_both_kinds();
}

// Data, metadata and ids that occur in the file exactly once are live, not left over in a free page.
TEST_F(DamageTest, VerifyReportsEveryFlipInsideALiveEvent) {
  std::size_t tested = 0;
  for (std::size_t round = 0; round < rounds(120, 3'000); ++round) {
    const std::uint64_t n = random_.between(1, events_);
    const std::string needle = random_.one_in(3)
                                   ? std::string(reinterpret_cast<const char*>(id(n).bytes.data()), 16)
                                   : numbered_data(n, 50);
    const std::size_t found = pristine_log_.find(needle);
    if (found == std::string::npos || pristine_log_.find(needle, found + 1) != std::string::npos) continue;
    std::string bytes = pristine_log_;
    const std::size_t at = found + random_.below(needle.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8)));
    restore();
    write_bytes(damaged_ / "log/data.mdb", bytes);
    auto report = verify_store(damaged_);
    if (report.ok()) {
      EXPECT_FALSE(report->sound()) << "event " << n << ", byte " << at << ", seed " << random_.seed();
      if (!report->sound()) {
        EXPECT_FALSE(report->findings.empty());
        EXPECT_FALSE(report->findings.at(0).place.empty());
      }
    } else {
      EXPECT_THAT(report, fails_with(Errc::kCorruption));
    }
    ++tested;
    if (HasFailure()) return;
  }
  EXPECT_GT(tested, 5u);
}

TEST_F(DamageTest, DamageInOneEventIsReportedWithItsPositionAndOthersStayReadable) {
  // Position 66 is the large event by itself in its block, in the flushed part.
  const std::string needle = numbered_data(66, 9'000);
  const std::size_t found = pristine_log_.find(needle.substr(0, 100));
  ASSERT_NE(found, std::string::npos);
  std::string bytes = pristine_log_;
  bytes[found + 50] = static_cast<char>(bytes[found + 50] ^ 4);
  restore();
  write_bytes(damaged_ / "log/data.mdb", bytes);

  auto store = EventStore::open(damaged_, options());
  ASSERT_THAT(store, succeeds()) << "the damage is in one event of many";
  auto page = (*store)->read_log({GlobalPosition{66}, Direction::kForward, 1, {}});
  ASSERT_THAT(page, fails_with(Errc::kCorruption));
  EXPECT_EQ(page.error().position, 66u);
  auto scanned = scan_all(**store);
  EXPECT_THAT(scanned, fails_with(Errc::kCorruption));
  auto before = (*store)->read_log({GlobalPosition{60}, Direction::kForward, 6, {}});
  ASSERT_THAT(before, succeeds());
  EXPECT_EQ(before->events.size(), 6u);
  auto after = (*store)->read_log({GlobalPosition{67}, Direction::kForward, 5, {}});
  ASSERT_THAT(after, succeeds());
  EXPECT_EQ(after->events.size(), 5u);
  EXPECT_TRUE(is_as_numbered(owned(after->events[0])));
}

}  // namespace
}  // namespace cairn::test

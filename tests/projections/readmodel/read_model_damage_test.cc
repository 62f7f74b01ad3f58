// Damaged rows, keys, counts and files are detected and not served; a full disk changes nothing.

#include <fstream>
#include <iterator>

#include "projections/readmodel/parked_writer.h"
#include "projections/readmodel/read_model_tables.h"
#include "tests/projections/readmodel/read_model_fixture.h"
#include "tests/support/small_disk.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ReadModelDamageTest : public ReadModelTest {
 protected:
  // Flips a bit in the file, `offset` bytes after the start of the only occurrence of `text`.
  void flip_bit_in(const std::string& text, std::size_t offset = 0) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t at = bytes.rfind(text);
    ASSERT_NE(at, std::string::npos);
    ASSERT_EQ(bytes.find(text), at) << "it is there twice";
    stream.clear();
    stream.seekp(static_cast<std::streamoff>(at + offset));
    stream.put(static_cast<char>(bytes[at + offset] ^ 1));
  }

  void fill() {
    Change change(7);
    for (int i = 100; i < 200; ++i) change.row("key-" + std::to_string(i), "saved-" + std::to_string(i));
    change.park(by_key("parked"), 5).wait(by_key("parked"), 6);
    ASSERT_THAT(commit(change), succeeds());
  }
};

TEST_F(ReadModelDamageTest, AFlippedBitInARowIsDetected) {
  fill();
  flip_bit_in("saved-150", 8);
  EXPECT_THAT(model_->row("key-150"), fails_with(Errc::kCorruption));
  EXPECT_THAT(model_->row("key-151"), succeeds());
  EXPECT_THAT(model_->load({"key-149", "key-150"}, [](std::size_t, std::string_view) {}),
              fails_with(Errc::kCorruption));
  const auto rows = model_->rows({});
  ASSERT_THAT(rows, fails_with(Errc::kCorruption));
  EXPECT_THAT(rows.error().message, HasSubstr("key-150"));
  close();
  EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadWrite), fails_with(Errc::kCorruption));
  reopen(Access::kReadOnly);
  EXPECT_THAT(model_->row("key-150"), fails_with(Errc::kCorruption));
}

// A search would not find the row, and it would be created again without its earlier events.
TEST_F(ReadModelDamageTest, AFlippedBitInAKeyIsDetectedBeforeTheFirstCommit) {
  fill();
  close();
  flip_bit_in("key-199", 6);
  EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadWrite), fails_with(Errc::kCorruption));
}

TEST_F(ReadModelDamageTest, AFlippedBitInAParkedEntryIsDetected) {
  fill();
  flip_bit_in("it failed");
  EXPECT_THAT(model_->find_parked(by_key("parked")), fails_with(Errc::kCorruption));
  EXPECT_THAT(model_->parked(std::nullopt, 10), fails_with(Errc::kCorruption));
  EXPECT_THAT(commit(Change(8).wait(by_key("parked"), 8)), fails_with(Errc::kCorruption));
}

// With a sound checksum, as a mistake of a program would leave it: it must not become a count of 2^64 - 1.
TEST_F(ReadModelDamageTest, AWrongCountIsDetectedAndDoesNotWrapAround) {
  fill();
  close();
  {
    const auto tables = TableStore::open(
        folder(), {.tables = {readmodel::kTableNames.begin(), readmodel::kTableNames.end()}});
    ASSERT_THAT(tables, succeeds());
    const Status written = (*tables)->write([](TableWriter& writer) -> Status {
      const std::string place = stored::place_key(by_key("parked"));
      CAIRN_TRY(const auto before, writer.get(readmodel::kParked, place));
      CAIRN_TRY(stored::Parked parked, readmodel::read_parked(place, *before));
      parked.waiting = 0;
      std::string sealed;
      stored::seal(place, stored::encode(parked), sealed);
      CAIRN_CHECK(writer.put(readmodel::kParked, place, sealed));
      stored::seal(readmodel::kStateKey, stored::encode(stored::State{.through = {7}, .rows = 0}), sealed);
      CAIRN_CHECK(writer.put(readmodel::kMeta, readmodel::kStateKey, sealed));
      return {};
    });
    ASSERT_THAT(written, succeeds());
  }
  EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadWrite), fails_with(Errc::kCorruption));
  // Larger ones are not looked over when they are opened, so a commit has to notice it.
  const auto tables =
      TableStore::open(folder(), {.tables = {readmodel::kTableNames.begin(), readmodel::kTableNames.end()}});
  ASSERT_THAT(tables, succeeds());
  const Status parked = (*tables)->write([](TableWriter& writer) -> Status {
    readmodel::ParkedWriter entries(writer);
    CAIRN_CHECK(entries.park(by_key("parked"), ParkedEvent{.position = {9}}));
    return entries.finish();
  });
  ASSERT_THAT(parked, fails_with(Errc::kCorruption));
  EXPECT_THAT(parked.error().message, HasSubstr("2 events wait at 'parked' before position 9"));
}

TEST_F(ReadModelDamageTest, AFlippedBitInAWaitingPositionIsDetected) {
  fill();
  flip_bit_in(std::string("\x00\x07kparked\x00\x00\x00\x00\x00\x00\x00\x06", 17), 16);
  EXPECT_THAT(model_->waiting(by_key("parked"), {}, 10), fails_with(Errc::kCorruption));
}

TEST_F(ReadModelDamageTest, AFlippedBitInTheIdentityIsDetected) {
  close();
  flip_bit_in("return projection");
  EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadWrite), fails_with(Errc::kCorruption));
  EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadOnly), fails_with(Errc::kCorruption));
}

TEST_F(ReadModelDamageTest, ATruncatedFileIsAnErrorAndNotACrash) {
  fill();
  const std::uint64_t used = model_->size()->bytes;
  close();
  for (std::uint64_t size = used; size > 0; size -= 1'024) {
    std::filesystem::resize_file(file(), size - 1'024);
    const auto opened = LmdbReadModel::open(folder(), Access::kReadWrite);
    if (opened.ok()) continue;  // only free pages were missing
    EXPECT_THAT(opened, fails_with(Errc::kCorruption)) << size;
    EXPECT_THAT(LmdbReadModel::open(folder(), Access::kReadOnly), fails_with(Errc::kCorruption)) << size;
  }
}

class ReadModelFullDiskTest : public ::testing::TestWithParam<SmallDisk::Kind> {
 protected:
  static constexpr std::uint64_t kDiskBytes = 12u << 20;

  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
  }
  std::filesystem::path folder() const { return disk_.path() / "readmodels" / "3"; }

  SmallDisk disk_{GetParam(), kDiskBytes};
};

INSTANTIATE_TEST_SUITE_P(, ReadModelFullDiskTest,
                         ::testing::Values(SmallDisk::Kind::kTmpfs, SmallDisk::Kind::kExt4),
                         [](const auto& chosen) {
                           return chosen.param == SmallDisk::Kind::kTmpfs ? "Tmpfs" : "Ext4";
                         });

TEST_P(ReadModelFullDiskTest, ACommitChangesNothingAndSucceedsOnceThereIsSpace) {
  auto model = LmdbReadModel::create(folder(), identity_of_sales());
  ASSERT_THAT(model, succeeds());
  std::uint64_t through = 0;
  std::uint64_t rows = 0;
  const auto next = [&] {
    Change change(through + 1);
    for (std::uint64_t i = 0; i < 20; ++i)
      change.row("key-" + std::to_string(rows + i), std::string(3'000, 's'));
    change.park(by_key("parked"), through + 1);
    return (*model)->commit(change.get());
  };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_THAT(next(), succeeds());
      ++through;
      rows += 20;
    }
    disk_.fill_up();
    Status status;
    for (int i = 0; i < 100 && status.ok(); ++i) {
      status = next();
      if (!status.ok()) break;
      ++through;
      rows += 20;
    }
    ASSERT_THAT(status, fails_with(Errc::kDiskFull));
    ASSERT_THAT(next(), fails_with(Errc::kDiskFull));
    EXPECT_EQ((*model)->checkpoint()->value, through);
    EXPECT_EQ((*model)->size()->rows, rows);
    EXPECT_EQ((*model)->rows({.limit = 100'000})->rows.size(), rows);
    EXPECT_EQ((*(*model)->find_parked(by_key("parked")))->event.position.value, through);
    disk_.free_up();
    ASSERT_THAT(next(), succeeds());
    ++through;
    rows += 20;
    model->reset();
    model = LmdbReadModel::open(folder(), LmdbReadModel::Access::kReadWrite);
    ASSERT_THAT(model, succeeds());
    EXPECT_EQ((*model)->checkpoint()->value, through);
    EXPECT_EQ((*model)->size()->rows, rows);
  }
}

TEST_P(ReadModelFullDiskTest, CreateAndOpenFailWithAnError) {
  { ASSERT_THAT(LmdbReadModel::create(folder(), identity_of_sales()), succeeds()); }
  std::filesystem::remove(folder() / "lock.mdb");
  disk_.fill_up();
  const auto other = folder().parent_path() / "4";
  EXPECT_THAT(LmdbReadModel::create(other, identity_of_sales()), fails_with(Errc::kDiskFull));
  EXPECT_THAT(LmdbReadModel::open(other, LmdbReadModel::Access::kReadWrite), fails_with(Errc::kNotFound));
  EXPECT_THAT(LmdbReadModel::open(folder(), LmdbReadModel::Access::kReadWrite), fails_with(Errc::kDiskFull));
  disk_.free_up();
  EXPECT_THAT(LmdbReadModel::create(other, identity_of_sales()), succeeds());
  EXPECT_THAT(LmdbReadModel::open(folder(), LmdbReadModel::Access::kReadWrite), succeeds());
}

}  // namespace
}  // namespace cairn::test

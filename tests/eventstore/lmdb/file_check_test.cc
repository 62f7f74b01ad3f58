#include "eventstore/lmdb/file_check.h"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::lmdb {
namespace {

using test::fails_with;
using test::succeeds;

class FileCheckTest : public testing::Test {
 protected:
  // Offsets of LMDB 0.9's fields in a meta page and in the record of a table.
  static constexpr std::uint64_t kMainRoot = 128, kLastPage = 136, kCommitNumber = 144;
  static constexpr std::uint64_t kTableFlags = 4, kTableDepth = 6, kTableRoot = 40;

  std::filesystem::path file() const { return folder_ / "data.mdb"; }

  // Random writes and deletes, which produce trees of some depth, large values and a list of free pages.
  void fill() {
    auto env = Env::open(folder_.path(), {.map_bytes = 256u << 20, .tables_max = 4});
    ASSERT_THAT(env, succeeds());
    MDB_dbi tables[2] = {};
    const std::array<TableHandle, 2> handles{{{"one", &tables[0]}, {"two", &tables[1]}}};
    ASSERT_THAT((*env)->open_tables(handles), succeeds());
    std::mt19937_64 random(3);
    for (int commit = 0; commit < 40; ++commit) {
      auto txn = (*env)->begin_write();
      ASSERT_THAT(txn, succeeds());
      for (int i = 0; i < 200; ++i) {
        const std::string key = "key-" + std::to_string(random() % 3'000);
        const std::string value(random() % 10 == 0 ? 9'000 : random() % 300, 'v');
        MDB_val key_val = to_val(key);
        MDB_val value_val = to_val(value);
        const MDB_dbi table = tables[random() % 2];
        if (random() % 4 == 0) {
          mdb_del(txn->get(), table, &key_val, nullptr);
        } else {
          ASSERT_EQ(mdb_put(txn->get(), table, &key_val, &value_val, 0), 0);
        }
      }
      ASSERT_EQ(txn->commit(), 0);
    }
  }

  std::string bytes() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  template <typename Number>
  Number number_at(std::uint64_t offset) const {
    Number number;
    const std::string all = bytes();
    std::memcpy(&number, all.data() + offset, sizeof number);
    return number;
  }
  template <typename Number>
  void overwrite_number(std::uint64_t offset, Number number) {
    overwrite(offset, std::string(reinterpret_cast<const char*>(&number), sizeof number));
  }
  // The offset of the newest commit's meta page.
  std::uint64_t newest_meta() const {
    return number_at<std::uint64_t>(kCommitNumber) > number_at<std::uint64_t>(kPageBytes + kCommitNumber)
               ? 0
               : kPageBytes;
  }
  // The offset of the record of table "one" in the newest commit's page of tables.
  std::uint64_t record_of_table_one() const {
    const auto page = number_at<std::uint64_t>(newest_meta() + kMainRoot) * kPageBytes;
    const std::uint64_t name = bytes().find("one", page);
    EXPECT_LT(name, page + kPageBytes);
    return name + 3;
  }

  void overwrite(std::uint64_t offset, const std::string& bytes) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream << bytes;
  }

  test::TempFolder folder_;
};

TEST_F(FileCheckTest, AnUndamagedFilePasses) {
  fill();
  EXPECT_THAT(check_file(file()), succeeds());
  EXPECT_THAT(check_trees(file(), TreeCheck::kAtOpen), succeeds());
  EXPECT_THAT(check_trees(file(), TreeCheck::kAll), succeeds());
}

TEST_F(FileCheckTest, AnEmptyOrShortFileIsDamage) {
  fill();
  const std::uint64_t used = check_file(file())->used_bytes;
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{kPageBytes}, used / 2, used - 1}) {
    std::filesystem::resize_file(file(), used);
    std::filesystem::resize_file(file(), size);
    EXPECT_THAT(check_file(file()), fails_with(Errc::kCorruption)) << size;
  }
}

// LMDB does not write pages that were allocated and freed in one commit. A store was once reported as
// truncated after such a commit.
TEST_F(FileCheckTest, FreePagesAtTheEndMayBeMissing) {
  {
    auto env = Env::open(folder_.path(), {.map_bytes = 16u << 20, .tables_max = 1});
    ASSERT_THAT(env, succeeds());
    MDB_dbi table = 0;
    const std::array<TableHandle, 1> handles{{{"one", &table}}};
    ASSERT_THAT((*env)->open_tables(handles), succeeds());
    const std::string large(100'000, 'v');
    // The last commits reuse pages that the second one freed.
    for (int commit = 0; commit < 7; ++commit) {
      auto txn = (*env)->begin_write();
      ASSERT_THAT(txn, succeeds());
      for (const std::string key : {"kept", "large"}) {
        MDB_val key_val = to_val(key);
        MDB_val value = to_val(key == "kept" ? key : large);
        if (key == "kept" || commit == 0) {
          ASSERT_EQ(mdb_put(txn->get(), table, &key_val, &value, 0), 0);
        } else if (commit == 1) {
          ASSERT_EQ(mdb_del(txn->get(), table, &key_val, nullptr), 0);
        }
      }
      ASSERT_EQ(txn->commit(), 0);
    }
  }
  const auto facts = check_file(file());
  ASSERT_THAT(facts, succeeds());
  std::uint64_t size = facts->used_bytes;
  int missing = 0;
  for (;; ++missing) {
    size -= kPageBytes;
    std::filesystem::resize_file(file(), size);
    if (!check_file(file()).ok()) break;
  }
  EXPECT_GE(missing, 1);
  std::filesystem::resize_file(file(), size + kPageBytes);  // one page short of the original size
  EXPECT_THAT(check_file(file()), fails_with(Errc::kCorruption));
}

TEST_F(FileCheckTest, ADamagedMetaPageIsNamed) {
  fill();
  overwrite(kPageBytes + 16, "XXXX");
  const auto result = check_file(file());
  ASSERT_THAT(result, fails_with(Errc::kCorruption));
  EXPECT_THAT(result.error().message, testing::HasSubstr("meta page 1"));
}

// With a changed commit number LMDB would open an older commit as the newest.
TEST_F(FileCheckTest, MetaPagesThatDisagreeAreDamage) {
  fill();
  overwrite(16 + 128, std::string(8, '\0'));
  EXPECT_THAT(check_file(file()), fails_with(Errc::kCorruption));
}

TEST_F(FileCheckTest, AnOlderCommitWithTheNewestNumberIsDamage) {
  fill();
  const std::uint64_t newest = newest_meta(), older = kPageBytes - newest;
  overwrite_number(older + kLastPage, number_at<std::uint64_t>(newest + kLastPage) - 1);
  EXPECT_THAT(check_file(file()), succeeds());
  overwrite_number(older + kCommitNumber, number_at<std::uint64_t>(newest + kCommitNumber) + 1);
  EXPECT_THAT(check_file(file()), fails_with(Errc::kCorruption));
}

// The next commit would overwrite the end of the last value.
TEST_F(FileCheckTest, AValueBeyondTheLastPageIsDamage) {
  {
    auto env = Env::open(folder_.path(), {.map_bytes = 16u << 20});
    ASSERT_THAT(env, succeeds());
    MDB_dbi table = 0;
    const std::array<TableHandle, 1> handles{{{nullptr, &table}}};
    ASSERT_THAT((*env)->open_tables(handles), succeeds());
    auto txn = (*env)->begin_write();
    ASSERT_THAT(txn, succeeds());
    const std::string key = "large", value(5 * kPageBytes, 'v');
    MDB_val key_val = to_val(key);
    MDB_val value_val = to_val(value);
    ASSERT_EQ(mdb_put(txn->get(), table, &key_val, &value_val, 0), 0);
    ASSERT_EQ(txn->commit(), 0);
  }
  EXPECT_THAT(check_trees(file(), TreeCheck::kAtOpen), succeeds());
  const std::uint64_t meta = newest_meta();
  overwrite_number(meta + kLastPage, number_at<std::uint64_t>(meta + kLastPage) - 1);
  EXPECT_THAT(check_trees(file(), TreeCheck::kAtOpen), fails_with(Errc::kCorruption));
}

TEST_F(FileCheckTest, ATableWithAnotherKeyOrderIsDamage) {
  fill();
  const std::uint64_t record = record_of_table_one();
  overwrite_number(record + kTableFlags, std::uint16_t{2});  // keys compared in reverse byte order
  EXPECT_THAT(check_trees(file(), TreeCheck::kAtOpen), fails_with(Errc::kCorruption));
}

TEST_F(FileCheckTest, ATableWhoseRootIsTheMainTreeIsDamage) {
  fill();
  const std::uint64_t record = record_of_table_one();
  overwrite_number(record + kTableRoot, number_at<std::uint64_t>(newest_meta() + kMainRoot));
  overwrite_number(record + kTableDepth, std::uint16_t{1});
  EXPECT_THAT(check_trees(file(), TreeCheck::kAtOpen), fails_with(Errc::kCorruption));
}

// Otherwise the table would be created again, empty.
TEST_F(FileCheckTest, ATableWithAChangedNameIsReportedMissing) {
  fill();
  overwrite(record_of_table_one() - 1, "f");
  EXPECT_THAT(check_trees(file(), TreeCheck::kAll), succeeds());
  auto env = Env::open(folder_.path(), {.map_bytes = 256u << 20, .tables_max = 4});
  ASSERT_THAT(env, succeeds());
  MDB_dbi tables[3] = {};
  const std::array<TableHandle, 2> handles{{{"one", &tables[0]}, {"two", &tables[1]}}};
  const auto opened = (*env)->open_tables(handles);
  ASSERT_THAT(opened, fails_with(Errc::kCorruption));
  EXPECT_THAT(opened.error().message, testing::HasSubstr("lacks"));
  // A table that may be missing is created.
  const std::array<TableHandle, 2> newer{{{"two", &tables[1]}, {"new", &tables[2], Lack::kMake}}};
  EXPECT_THAT((*env)->open_tables(newer), succeeds());
  EXPECT_NE(tables[2], kNoTable);
}

TEST_F(FileCheckTest, APageOfRandomBytesIsDetected) {
  fill();
  const std::uint64_t pages = check_file(file())->used_bytes / kPageBytes;
  int found = 0;
  for (std::uint64_t page = 2; page < pages; page += 7) {
    std::string before(kPageBytes, '\0');
    {
      std::ifstream stream(file(), std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(page * kPageBytes));
      stream.read(before.data(), kPageBytes);
    }
    overwrite(page * kPageBytes, std::string(kPageBytes, '\xA5'));
    found += check_trees(file(), TreeCheck::kAll).ok()
                 ? 0
                 : 1;  // free pages and the content of values may have any bytes
    overwrite(page * kPageBytes, before);
  }
  EXPECT_GT(found, 10);
  EXPECT_THAT(check_trees(file(), TreeCheck::kAll), succeeds());
}

}  // namespace
}  // namespace cairn::lmdb

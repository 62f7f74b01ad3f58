#include "eventstore/lmdb/file_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "eventstore/base/file.h"

namespace cairn::lmdb {
namespace {

// LMDB 0.9's on-disk structures on a 64-bit machine.
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kDataVersion = 1;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::uint64_t kPagesMax = std::uint64_t{1} << 48;
constexpr std::uint64_t kUnwrittenBytesMax = 64u << 20;
constexpr std::size_t kPageHeaderBytes = 16;
constexpr std::size_t kNodeHeaderBytes = 8;
constexpr std::uint16_t kBranchPage = 0x01, kLeafPage = 0x02, kOverflowPage = 0x04, kMetaPage = 0x08;
constexpr std::uint16_t kBigData = 0x01, kSubTable = 0x02;
constexpr std::uint16_t kPlainTable = 0, kNumberKeys = 0x08;  // how the keys of a table are ordered

struct Table {
  std::uint32_t pad;
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
};

struct Meta {
  std::uint32_t magic, version;
  std::uint64_t address, map_size;
  Table free, main;
  std::uint64_t last_page, txn_id;
};
static_assert(sizeof(Table) == 48 && sizeof(Meta) == 136);

struct PageHeader {
  std::uint64_t number;
  std::uint16_t pad, flags;
  std::uint16_t lower, upper;  // of an overflow page: together the number of pages
};
static_assert(sizeof(PageHeader) == kPageHeaderBytes);

using Page = std::array<char, kPageBytes>;

template <typename T>
T at(const Page& page, std::size_t offset) {
  T value;
  std::memcpy(&value, page.data() + offset, sizeof value);
  return value;
}

struct Node {
  std::uint64_t number;  // branch: the child's page; leaf: bytes of data
  std::uint16_t flags;
  std::size_t key_bytes;
  std::size_t data_offset;
};

Node node_at(const Page& page, std::size_t offset, bool branch) {
  const auto low = at<std::uint16_t>(page, offset);
  const auto high = at<std::uint16_t>(page, offset + 2);
  const auto flags = at<std::uint16_t>(page, offset + 4);
  const auto key_bytes = at<std::uint16_t>(page, offset + 6);
  const std::uint64_t number = low | (std::uint64_t{high} << 16) | (branch ? std::uint64_t{flags} << 32 : 0);
  return {number, flags, key_bytes, offset + kNodeHeaderBytes + key_bytes};
}

enum class Tree { kMain, kNamed, kFreeList };

class Checker {
 public:
  Checker(const std::filesystem::path& file, int fd, std::uint64_t file_bytes)
      : file_(file), fd_(fd), file_bytes_(file_bytes) {}

  Error damaged(const std::string& what) const {
    return make_error(Errc::kCorruption, file_.string() + ": " + what);
  }

  Status read(std::uint64_t number, Page& page) const {
    const ssize_t got = pread(fd_, page.data(), page.size(), static_cast<off_t>(number * kPageBytes));
    if (got < 0) return system_error("reading " + file_.string(), errno);
    if (static_cast<std::size_t>(got) != page.size()) {
      return damaged(fmt::format("page {} is beyond the end of the file", number));
    }
    return {};
  }

  Result<Meta> newest_meta() const {
    std::array<Meta, 2> metas;
    for (std::size_t i = 0; i < 2; ++i) {
      Page page;
      CAIRN_CHECK(read(i, page));
      std::memcpy(&metas[i], page.data() + kPageHeaderBytes, sizeof(Meta));
      const auto header = at<PageHeader>(page, 0);
      if (metas[i].magic != kMagic || (header.flags & kMetaPage) == 0) {
        return damaged(fmt::format("meta page {} is damaged", i));
      }
      if (metas[i].version != kDataVersion)
        return damaged(fmt::format("unknown LMDB format {}", metas[i].version));
      if (metas[i].free.pad != kPageBytes) return damaged(fmt::format("page size {}", metas[i].free.pad));
    }
    const std::uint64_t older = std::min(metas[0].txn_id, metas[1].txn_id);
    const std::uint64_t newer = std::max(metas[0].txn_id, metas[1].txn_id);
    // Commits write the two pages alternately: commit n writes page n % 2, so the two numbers differ by 1.
    if (newer - older > 1 || (newer > 0 && metas[newer & 1].txn_id != newer)) {
      return damaged(fmt::format("meta pages disagree: commits {} and {}", metas[0].txn_id, metas[1].txn_id));
    }
    // The number of pages never decreases from one commit to the next.
    if (metas[newer & 1].last_page < metas[older & 1].last_page && newer != older) {
      return damaged(fmt::format("meta pages disagree: {} and {} pages", metas[0].last_page + 1,
                                 metas[1].last_page + 1));
    }
    return metas[newer & 1];
  }

  Status check_all(const Meta& meta, TreeCheck depth) {
    depth_ = depth;
    last_page_ = meta.last_page;
    if (depth == TreeCheck::kAll) used_.assign(last_page_ + 1, false);
    CAIRN_CHECK(check_table(meta.main, Tree::kMain));
    return check_table(meta.free, Tree::kFreeList);
  }

 private:
  Status check_table(const Table& table, Tree tree) {
    const bool free_list = tree == Tree::kFreeList;
    if (table.flags != (free_list ? kNumberKeys : kPlainTable)) return damaged("a table of unknown kind");
    if (table.root == kNoPage) {
      return table.entries == 0 ? Status() : damaged("a table with entries has no root");
    }
    if (table.depth == 0 || table.depth > 16) return damaged(fmt::format("a tree of depth {}", table.depth));
    // Named tables are checked during the check of the main table, so the main table's state is restored
    // below.
    const bool outer = std::exchange(
        every_leaf_, depth_ == TreeCheck::kAll || free_list || table.leaf_pages <= kLeavesAtOpenMax);
    const std::uint64_t outer_entries = std::exchange(entries_, 0);
    Status status = check_page({table.root, table.depth, tree}, {});
    if (status.ok() && every_leaf_ && entries_ != table.entries) {
      status =
          damaged(fmt::format("a table has {} records, but its header says {}", entries_, table.entries));
    }
    every_leaf_ = outer;
    entries_ = outer_entries;
    return status;
  }

  Status claim(std::uint64_t number) {
    if (number < 2 || number > last_page_) return damaged(fmt::format("a pointer to page {}", number));
    if (depth_ == TreeCheck::kAtOpen) return {};
    if (used_[number]) return damaged(fmt::format("page {} is used twice", number));
    used_[number] = true;
    return {};
  }

  struct Place {
    std::uint64_t number;
    unsigned level;  // counts down to 1 at the leaves
    Tree tree;
  };
  // The keys that are allowed below a branch: least <= key < limit. Without a limit it is the right edge of
  // the tree.
  struct Bounds {
    std::string least;
    std::optional<std::string> limit;
  };

  Status check_page(const Place& place, const Bounds& bounds) {
    CAIRN_CHECK(claim(place.number));
    Page page;
    CAIRN_CHECK(read(place.number, page));
    const auto header = at<PageHeader>(page, 0);
    const bool branch = place.level > 1;
    const std::string name = fmt::format("page {}", place.number);
    if (header.number != place.number)
      return damaged(fmt::format("{} has the number {}", name, header.number));
    if (header.flags != (branch ? kBranchPage : kLeafPage)) return damaged(name + " is of the wrong kind");
    if (header.lower < kPageHeaderBytes || header.lower % 2 != 0 || header.upper > kPageBytes ||
        header.lower > header.upper) {
      return damaged(name + " has invalid bounds");
    }
    const std::size_t count = (header.lower - kPageHeaderBytes) / 2;
    if (count == 0 || (branch && count < 2)) return damaged(name + " has too few records");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      const auto offset = at<std::uint16_t>(page, kPageHeaderBytes + i * 2);
      if (offset < header.upper || offset % 2 != 0 || offset + kNodeHeaderBytes > kPageBytes) {
        return damaged(name + " has a record beyond its bounds");
      }
      nodes.push_back(node_at(page, offset, branch));
      if (nodes.back().data_offset > kPageBytes) return damaged(name + " has a key beyond its bounds");
    }
    CAIRN_CHECK(check_order(page, nodes, branch, name, place.tree, bounds));
    if (!branch) entries_ += count;
    for (std::size_t i = 0; i < count; ++i) {
      CAIRN_CHECK(branch ? check_child(page, nodes, i, place, bounds)
                         : check_record(page, nodes[i], name, place.tree));
    }
    return {};
  }

  static std::string_view key_of(const Page& page, const Node& node) {
    return {page.data() + node.data_offset - node.key_bytes, node.key_bytes};
  }

  // A changed key would make searches miss records that exist. The first key of a branch page is unused. The
  // list of free pages has native integers as keys, which sort differently.
  Status check_order(const Page& page, const std::vector<Node>& nodes, bool branch, const std::string& name,
                     Tree tree, const Bounds& bounds) const {
    if (tree == Tree::kFreeList) return {};
    std::string_view last = bounds.least;
    for (std::size_t i = branch ? 1 : 0; i < nodes.size(); ++i) {
      const std::string_view key = key_of(page, nodes[i]);
      const bool first = i == (branch ? 1u : 0u);
      if ((first ? key < last : key <= last) || (bounds.limit && key >= *bounds.limit)) {
        return damaged(name + " has keys out of order");
      }
      last = key;
    }
    return {};
  }

  Status check_child(const Page& page, const std::vector<Node>& nodes, std::size_t i, const Place& place,
                     const Bounds& bounds) {
    const bool last = i + 1 == nodes.size();
    const bool right_edge = last && !bounds.limit;
    if (place.level == 2 && !right_edge && !every_leaf_) return claim(nodes[i].number);
    Bounds below = bounds;
    if (i > 0) below.least = key_of(page, nodes[i]);
    if (!last) below.limit = key_of(page, nodes[i + 1]);
    return check_page({nodes[i].number, place.level - 1, place.tree}, below);
  }

  Status check_record(const Page& page, const Node& node, const std::string& name, Tree tree) {
    // Only the main tree contains tables. A table record elsewhere could create a cycle.
    const std::uint16_t known = tree == Tree::kMain ? kBigData | kSubTable : kBigData;
    if ((node.flags & ~known) != 0) return damaged(name + " has a record of unknown kind");
    const bool free_list = tree == Tree::kFreeList;
    if ((node.flags & kBigData) != 0) return check_overflow(page, node, name, free_list);
    if (node.number > kPageBytes - node.data_offset) return damaged(name + " has data beyond its bounds");
    if ((node.flags & kSubTable) != 0) {
      if (node.number != sizeof(Table)) return damaged(name + " has a table record of a wrong size");
      return check_table(at<Table>(page, node.data_offset), Tree::kNamed);
    }
    if (!free_list) return {};
    return check_free_pages(std::string_view(page.data() + node.data_offset, node.number), name);
  }

  Status check_overflow(const Page& leaf, const Node& node, const std::string& name, bool free_list) {
    if (node.data_offset + sizeof(std::uint64_t) > kPageBytes)
      return damaged(name + " has data beyond its bounds");
    const auto first = at<std::uint64_t>(leaf, node.data_offset);
    CAIRN_CHECK(claim(first));
    const std::uint64_t needed = (node.number + kPageHeaderBytes + kPageBytes - 1) / kPageBytes;
    if (first + needed > last_page_ + 1) return damaged("the data of a record extends beyond the last page");
    if (depth_ == TreeCheck::kAtOpen && !free_list) return {};
    Page page;
    CAIRN_CHECK(read(first, page));
    const auto header = at<PageHeader>(page, 0);
    // A value that replaced a longer one keeps all its pages.
    const std::uint64_t pages = header.lower | (std::uint64_t{header.upper} << 16);
    if (header.number != first || (header.flags & kOverflowPage) == 0 || pages < needed ||
        first + pages > last_page_ + 1) {
      return damaged(fmt::format("overflow page {} does not fit its record", first));
    }
    if ((first + pages) * kPageBytes > file_bytes_) {
      return damaged(fmt::format("overflow page {} extends beyond the end of the file", first));
    }
    for (std::uint64_t i = 1; i < pages; ++i) CAIRN_CHECK(claim(first + i));
    if (!free_list) return {};
    std::string list(node.number, '\0');
    const off_t from = static_cast<off_t>(first * kPageBytes + kPageHeaderBytes);
    if (pread(fd_, list.data(), list.size(), from) != static_cast<ssize_t>(list.size())) {
      return damaged("the list of free pages cannot be read");
    }
    return check_free_pages(list, name);
  }

  // The next commit would overwrite a page that is in the list of free pages and in use.
  Status check_free_pages(std::string_view bytes, const std::string& name) {
    std::vector<std::uint64_t> list(bytes.size() / 8);
    std::memcpy(list.data(), bytes.data(), list.size() * 8);
    if (list.empty() || list[0] >= list.size())
      return damaged(name + ": list of free pages has a wrong length");
    for (std::uint64_t i = 1; i <= list[0]; ++i) {
      if (i > 1 && list[i] >= list[i - 1]) return damaged(name + ": list of free pages is out of order");
      CAIRN_CHECK(claim(list[i]));
    }
    return {};
  }

  const std::filesystem::path& file_;
  int fd_;
  std::uint64_t file_bytes_;
  TreeCheck depth_ = TreeCheck::kAtOpen;
  bool every_leaf_ = true;
  std::uint64_t entries_ = 0;  // of the table that is being checked
  std::uint64_t last_page_ = 0;
  std::vector<bool> used_;
};

}  // namespace

namespace {

// A file that another process writes may change as often as this while it is looked at.
constexpr int kLooksMax = 1'000;

// What changes with every commit: the size of the file and its two meta pages.
struct Look {
  std::uint64_t bytes = 0;
  std::array<Page, 2> metas{};
  friend bool operator==(const Look&, const Look&) = default;
};

Result<Look> look_at(int fd, const std::filesystem::path& file) {
  Look look;
  CAIRN_TRY(look.bytes, file_size(fd, file));
  if (pread(fd, look.metas.data(), sizeof look.metas, 0) < 0)
    return system_error("reading " + file.string(), errno);
  return look;
}

Result<FileFacts> check_file_once(const std::filesystem::path& file, int fd, std::uint64_t bytes) {
  Checker checker(file, fd, bytes);
  if (bytes < 2 * kPageBytes) {
    return checker.damaged(
        fmt::format("the file has only {} bytes; it was truncated or never completed", bytes));
  }
  CAIRN_TRY(const Meta meta, checker.newest_meta());
  const std::uint64_t used = (meta.last_page + 1) * kPageBytes;
  // LMDB does not write pages that were allocated and freed in one commit, not even at the end of the file.
  // So pages may be missing there, as long as no tree refers to them.
  const bool possible = meta.last_page < kPagesMax && used <= bytes + kUnwrittenBytesMax;
  if (!possible || (used > bytes && !checker.check_all(meta, TreeCheck::kAll).ok())) {
    return checker.damaged(
        fmt::format("the file was truncated: it has {} bytes, the newest commit needs {}", bytes, used));
  }
  return FileFacts{.file_bytes = bytes, .used_bytes = used};
}

}  // namespace

// The parts of the file are read one after the other, and another process may commit in between. So a failure
// counts only if the file did not change meanwhile.
Result<FileFacts> check_file(const std::filesystem::path& file) {
  CAIRN_TRY(const File handle, File::open(file, O_RDONLY));
  CAIRN_TRY(Look before, look_at(handle.descriptor(), file));
  for (int looks = 1;; ++looks) {
    auto facts = check_file_once(file, handle.descriptor(), before.bytes);
    if (facts.ok() || looks == kLooksMax) return facts;
    CAIRN_TRY(const Look after, look_at(handle.descriptor(), file));
    if (after == before) return facts;
    before = after;
  }
}

Status check_trees(const std::filesystem::path& file, TreeCheck depth) {
  CAIRN_TRY(const File handle, File::open(file, O_RDONLY));
  CAIRN_TRY(const std::uint64_t bytes, file_size(handle.descriptor(), file));
  Checker checker(file, handle.descriptor(), bytes);
  CAIRN_TRY(const Meta meta, checker.newest_meta());
  return checker.check_all(meta, depth);
}

}  // namespace cairn::lmdb

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
  std::uint16_t lower, upper;  // for an overflow page together the number of pages
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
      return damaged("page " + std::to_string(number) + " lies beyond the end of the file");
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
        return damaged("meta page " + std::to_string(i) + " is damaged");
      }
      if (metas[i].version != kDataVersion)
        return damaged("unknown LMDB format " + std::to_string(metas[i].version));
      if (metas[i].free.pad != kPageBytes) return damaged("page size " + std::to_string(metas[i].free.pad));
    }
    const std::uint64_t older = std::min(metas[0].txn_id, metas[1].txn_id);
    const std::uint64_t newer = std::max(metas[0].txn_id, metas[1].txn_id);
    // Commits write the two pages in turn: their numbers are neighbours, and tell which page is whose.
    if (newer - older > 1 || (newer > 0 && metas[newer & 1].txn_id != newer)) {
      return damaged("meta pages disagree: commits " + std::to_string(metas[0].txn_id) + " and " +
                     std::to_string(metas[1].txn_id));
    }
    // A file never gets shorter, so where the older commit knows of more pages it is the newer one.
    if (metas[newer & 1].last_page < metas[older & 1].last_page && newer != older) {
      return damaged("meta pages disagree: of " + std::to_string(metas[0].last_page + 1) + " and of " +
                     std::to_string(metas[1].last_page + 1) + " pages");
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
    if (table.depth == 0 || table.depth > 16)
      return damaged("a tree of depth " + std::to_string(table.depth));
    // Named tables are checked while the main table is walked over, so the choice is put back afterwards.
    const bool outer = std::exchange(
        every_leaf_, depth_ == TreeCheck::kAll || free_list || table.leaf_pages <= kLeavesAtOpenMax);
    const std::uint64_t outer_entries = std::exchange(entries_, 0);
    Status status = check_page({table.root, table.depth, tree}, {});
    if (status.ok() && every_leaf_ && entries_ != table.entries) {
      status = damaged("a table has " + std::to_string(entries_) + " records, its head says " +
                       std::to_string(table.entries));
    }
    every_leaf_ = outer;
    entries_ = outer_entries;
    return status;
  }

  Status claim(std::uint64_t number) {
    if (number < 2 || number > last_page_) return damaged("a pointer to page " + std::to_string(number));
    if (depth_ == TreeCheck::kAtOpen) return {};
    if (used_[number]) return damaged("page " + std::to_string(number) + " is used twice");
    used_[number] = true;
    return {};
  }

  struct Place {
    std::uint64_t number;
    unsigned level;  // counts down to 1 at the leaves
    Tree tree;
  };
  // Which keys may stand below a branch: from `least` on, and below `limit`. No limit = the right edge of the
  // tree.
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
    const std::string name = "page " + std::to_string(place.number);
    if (header.number != place.number)
      return damaged(name + " says it is page " + std::to_string(header.number));
    if (header.flags != (branch ? kBranchPage : kLeafPage))
      return damaged(name + " is not of the kind expected");
    if (header.lower < kPageHeaderBytes || header.lower % 2 != 0 || header.upper > kPageBytes ||
        header.lower > header.upper) {
      return damaged(name + " has impossible bounds");
    }
    const std::size_t count = (header.lower - kPageHeaderBytes) / 2;
    if (count == 0 || (branch && count < 2)) return damaged(name + " is too empty");
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      const auto offset = at<std::uint16_t>(page, kPageHeaderBytes + i * 2);
      if (offset < header.upper || offset % 2 != 0 || offset + kNodeHeaderBytes > kPageBytes) {
        return damaged(name + " has a record outside itself");
      }
      nodes.push_back(node_at(page, offset, branch));
      if (nodes.back().data_offset > kPageBytes) return damaged(name + " has a key outside itself");
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

  // A search that is led astray by a changed key would find nothing where there is something. The first key
  // of a branch is not used. The list of free pages is keyed by native numbers, in another order.
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
    // Only the main tree has tables in it: elsewhere one could lead back to where we came from.
    const std::uint16_t known = tree == Tree::kMain ? kBigData | kSubTable : kBigData;
    if ((node.flags & ~known) != 0) return damaged(name + " has a record of unknown kind");
    const bool free_list = tree == Tree::kFreeList;
    if ((node.flags & kBigData) != 0) return check_overflow(page, node, name, free_list);
    if (node.number > kPageBytes - node.data_offset) return damaged(name + " has data outside itself");
    if ((node.flags & kSubTable) != 0) {
      if (node.number != sizeof(Table)) return damaged(name + " has a table record of a wrong size");
      return check_table(at<Table>(page, node.data_offset), Tree::kNamed);
    }
    if (!free_list) return {};
    return check_free_pages(std::string_view(page.data() + node.data_offset, node.number), name);
  }

  Status check_overflow(const Page& leaf, const Node& node, const std::string& name, bool free_list) {
    if (node.data_offset + sizeof(std::uint64_t) > kPageBytes)
      return damaged(name + " has data outside itself");
    const auto first = at<std::uint64_t>(leaf, node.data_offset);
    CAIRN_CHECK(claim(first));
    const std::uint64_t needed = (node.number + kPageHeaderBytes + kPageBytes - 1) / kPageBytes;
    if (first + needed > last_page_ + 1) return damaged("the data of a record goes beyond the last page");
    if (depth_ == TreeCheck::kAtOpen && !free_list) return {};
    Page page;
    CAIRN_CHECK(read(first, page));
    const auto header = at<PageHeader>(page, 0);
    // A value that was overwritten by a shorter one keeps its pages.
    const std::uint64_t pages = header.lower | (std::uint64_t{header.upper} << 16);
    if (header.number != first || (header.flags & kOverflowPage) == 0 || pages < needed ||
        first + pages > last_page_ + 1) {
      return damaged("overflow page " + std::to_string(first) + " does not fit its record");
    }
    if ((first + pages) * kPageBytes > file_bytes_) {
      return damaged("overflow page " + std::to_string(first) + " goes beyond the end of the file");
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

  // A free page that is in use would be overwritten by the next commit.
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
  std::uint64_t entries_ = 0;  // of the table that is being walked over
  std::uint64_t last_page_ = 0;
  std::vector<bool> used_;
};

}  // namespace

Result<FileFacts> check_file(const std::filesystem::path& file) {
  CAIRN_TRY(const File handle, File::open(file, O_RDONLY));
  CAIRN_TRY(const std::uint64_t bytes, file_size(handle.descriptor(), file));
  Checker checker(file, handle.descriptor(), bytes);
  if (bytes < 2 * kPageBytes) {
    return checker.damaged("only " + std::to_string(bytes) +
                           " bytes long; the file was cut or never written");
  }
  CAIRN_TRY(const Meta meta, checker.newest_meta());
  const std::uint64_t used = (meta.last_page + 1) * kPageBytes;
  // LMDB does not write pages that became free in the same commit, not even at the end of the file. So some
  // there may be missing, if nothing leads to them.
  const bool possible = meta.last_page < kPagesMax && used <= bytes + kUnwrittenBytesMax;
  if (!possible || (used > bytes && !checker.check_all(meta, TreeCheck::kAll).ok())) {
    return checker.damaged("the file was cut: " + std::to_string(bytes) +
                           " bytes long, the newest commit needs " + std::to_string(used));
  }
  return FileFacts{.file_bytes = bytes, .used_bytes = used};
}

Status check_trees(const std::filesystem::path& file, TreeCheck depth) {
  CAIRN_TRY(const File handle, File::open(file, O_RDONLY));
  CAIRN_TRY(const std::uint64_t bytes, file_size(handle.descriptor(), file));
  Checker checker(file, handle.descriptor(), bytes);
  CAIRN_TRY(const Meta meta, checker.newest_meta());
  return checker.check_all(meta, depth);
}

}  // namespace cairn::lmdb

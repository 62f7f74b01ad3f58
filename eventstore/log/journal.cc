#include "eventstore/log/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

constexpr std::uint32_t kMagic = 0x4A4E5243;  // "CRNJ"
constexpr std::size_t kHeaderBytes = 16;
constexpr std::uint64_t kPage = BlockCopy::kPageBytes;

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return make_error(Errc::kCorruption, "the journal " + file.string() + " " + what);
}

struct FreePages {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using PageBuffer = std::unique_ptr<std::byte, FreePages>;

// Memory for direct I/O; null when there is none. REQUIRES: `bytes` is a multiple of the page size.
PageBuffer allocate_pages(std::uint64_t bytes) {
  return PageBuffer(static_cast<std::byte*>(std::aligned_alloc(kPage, bytes)));
}

std::uint64_t half_start(unsigned half, std::uint64_t half_bytes) { return kPage + half * half_bytes; }

void write_header(void* to, LogFormat format, std::uint64_t half_bytes) {
  auto* const bytes = static_cast<std::byte*>(to);
  store_le(bytes, kMagic);
  store_le(bytes + 4, static_cast<std::uint32_t>(format));
  store_le(bytes + 8, half_bytes);
  store_le(bytes + kHeaderBytes, checksum64(bytes, kHeaderBytes));
}

}  // namespace

Status Journal::create(const std::filesystem::path& file, std::uint64_t bytes, LogFormat format) {
  const std::uint64_t half = std::max(bytes / 2 / kPage, std::uint64_t{1}) * kPage;
  std::string content(kPage + 2 * half, '\0');
  write_header(content.data(), format, half);
  return write_file(file, content);
}

// The header is in one sector, so a power cut leaves the old one or the new one.
Status Journal::raise_format(LogFormat format) {
  if (format <= format_) return {};
  alignas(kPage) std::array<std::byte, kPage> page{};
  write_header(page.data(), format, half_bytes_);
  if (pwrite(file_.descriptor(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()))
    return system_error("writing the header of " + path_.string(), errno);
  if (const Status synced = sync(); !synced.ok())
    return make_error(Errc::kFailedPrecondition, synced.error().message);
  format_ = format;
  return {};
}

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path, Access access) {
  if (!std::filesystem::exists(path)) {
    return damaged(path, "is missing; the newest events may have been in it");
  }
  // O_DIRECT where the file system supports it: a sync then finds no dirty pages to write back.
  const int flags = access == Access::kReadOnly ? O_RDONLY : O_RDWR;
  auto direct = File::open(path, flags | O_DIRECT);
  CAIRN_TRY(File file, direct.ok() ? std::move(direct) : File::open(path, flags));
  CAIRN_TRY(const std::uint64_t bytes, file_size(file.descriptor(), path));
  alignas(kPage) std::array<std::byte, kPage> page;
  if (bytes < kPage ||
      pread(file.descriptor(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size())) {
    return damaged(path, fmt::format("was truncated to {} bytes", bytes));
  }
  const auto half = load_le<std::uint64_t>(page.data() + 8);
  const auto format = load_le<std::uint32_t>(page.data() + 4);
  if (load_le<std::uint32_t>(page.data()) != kMagic || format == 0 ||
      load_le<std::uint64_t>(page.data() + kHeaderBytes) != checksum64(page.data(), kHeaderBytes)) {
    return damaged(path, "has a damaged header");
  }
  if (format > static_cast<std::uint32_t>(kNewestLogFormat)) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("the journal {} has blocks of format {}; this program reads formats 1 to {}",
                    path.string(), format, static_cast<std::uint32_t>(kNewestLogFormat)));
  }
  if (bytes != kPage + 2 * half) {
    return damaged(path, fmt::format("has {} bytes and should have {}", bytes, kPage + 2 * half));
  }
  return std::unique_ptr<Journal>(new Journal(std::move(file), path, static_cast<LogFormat>(format), half));
}

std::uint64_t Journal::claimed_bytes(std::span<const std::byte> bytes) {
  return bytes.size() < BlockHeader::kBytesMin ? 0 : BlockHeader::claimed_bytes(bytes);
}

std::span<const std::byte> Journal::sound_block(std::span<const std::byte> bytes) {
  const std::uint64_t size = claimed_bytes(bytes);
  if (size == 0 || size > bytes.size()) return {};
  const auto block = bytes.first(size);
  const auto header = BlockHeader::read(block);
  return header.ok() && block_checksum(block) == header->checksum ? block : std::span<const std::byte>{};
}

Status Journal::read_pages(unsigned half, std::uint64_t offset, std::span<std::byte> pages) const {
  CAIRN_ASSERT(offset + pages.size() <= half_bytes_, offset, pages.size());
  auto at = static_cast<off_t>(half_start(half, half_bytes_) + offset);
  while (!pages.empty()) {
    const ssize_t got = pread(file_.descriptor(), pages.data(), pages.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading " + path_.string(), errno);
    if (got == 0) return damaged(path_, "was truncated");
    pages = pages.subspan(static_cast<std::size_t>(got));
    at += got;
  }
  return {};
}

Status Journal::sync() const {
  if (fdatasync(file_.descriptor()) != 0) return system_error("syncing " + path_.string(), errno);
  return {};
}

Status Journal::read_half(unsigned half, const LogPlace& end, std::vector<Block>& blocks) const {
  const PageBuffer buffer = allocate_pages(half_bytes_);
  if (buffer == nullptr) return system_error("reading " + path_.string(), ENOMEM);
  CAIRN_CHECK(read_pages(half, 0, {buffer.get(), half_bytes_}));
  for (std::uint64_t at = 0; at < half_bytes_;) {
    const auto block = sound_block({buffer.get() + at, half_bytes_ - at});
    at += std::max(BlockCopy::padded(block.size()), kPage);
    if (block.empty()) continue;
    CAIRN_TRY(Block copy, BlockCopy::of(block));
    if (copy->end() > end) blocks.push_back(std::move(copy));
  }
  return {};
}

Result<std::vector<Journal::Block>> Journal::blocks_after(LogPlace end) const {
  std::vector<Block> blocks;
  for (unsigned half = 0; half < 2; ++half) CAIRN_CHECK(read_half(half, end, blocks));
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a->end() < b->end(); });
  for (const Block& block : blocks) {
    if (!block->header().follows(end)) {
      Error error =
          damaged(path_, fmt::format("continues at position {}, but the block at position {} is damaged",
                                     block->first_position().value, end.position.value + 1));
      error.position = end.position.value + 1;
      return error;
    }
    end = block->end();
  }
  return blocks;
}

void Journal::switch_half(const LogPlace& settled) {
  CAIRN_ASSERT(settled >= other_half_end(), settled.position.value,
               other_half_end().position.value);  // invariant 1
  half_ = 1 - half_;
  offset_ = 0;
}

void Journal::mark_full(const LogPlace& end) {
  offset_ = half_bytes_;
  last_ = {end, end};
}

// Whether the block that could not be written is known not to be there: recovery takes in whole blocks only.
bool Journal::lacks(const BlockCopy& block) const {
  const std::size_t bytes = block.pages().size();
  const PageBuffer there = allocate_pages(bytes);
  if (there == nullptr || !read_pages(half_, offset_, {there.get(), bytes}).ok()) return false;
  return std::memcmp(there.get(), block.pages().data(), bytes) != 0;
}

Status Journal::write(const BlockCopy& block) {
  CAIRN_ASSERT(has_room(block), offset_, block.pages().size());
  CAIRN_ASSERT(!block.has_page_like_a_block(), block.first_position().value);              // invariant 3
  CAIRN_ASSERT(block.end() > std::max(last_[0], last_[1]), block.first_position().value);  // invariant 2
  auto left = block.pages();
  auto at = static_cast<off_t>(half_start(half_, half_bytes_) + offset_);
  while (!left.empty()) {
    const ssize_t wrote = pwrite(file_.descriptor(), left.data(), left.size(), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) break;
    left = left.subspan(static_cast<std::size_t>(wrote));
    at += wrote;
  }
  if (!left.empty() || fdatasync(file_.descriptor()) != 0) {
    Error error = system_error("committing to the journal " + path_.string(), errno);
    if (error.code != Errc::kDiskFull || left.empty() || !lacks(block)) error.code = Errc::kOutcomeUnknown;
    return error;
  }
  offset_ += block.pages().size();
  last_[half_] = block.end();
  return {};
}

}  // namespace cairn

#include "eventstore/follow/journal_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "eventstore/base/checksum.h"

namespace cairn {
namespace {

constexpr std::uint64_t kPage = BlockCopy::kPageBytes;
constexpr std::uint64_t kWindowBytes = 128u << 10;

// The mtime of a file advances with the kernel's tick, 10 ms at most, and is set before the bytes are
// written.
constexpr std::chrono::nanoseconds kRestAfter = std::chrono::milliseconds(100);
// Covers a clock that was set back to the mtime of the file, and a disk that took longer than kRestAfter.
constexpr std::chrono::seconds kReadAtLeastEvery{1};

}  // namespace

void JournalTail::Free::operator()(std::byte* pages) const { std::free(pages); }

JournalTail::JournalTail(std::unique_ptr<Journal> journal) : journal_(std::move(journal)) {}

Result<std::unique_ptr<JournalTail>> JournalTail::open(const std::filesystem::path& file) {
  CAIRN_TRY(auto journal, Journal::open(file, Journal::Access::kReadOnly));
  return std::unique_ptr<JournalTail>(new JournalTail(std::move(journal)));
}

Status JournalTail::poll(const LogPlace& known) {
  std::erase_if(found_, [&known](const auto& entry) { return entry.second.block->end() <= known; });
  CAIRN_TRY(const bool changed, may_have_changed());
  if (!changed) return {};
  for (unsigned half = 0; half < 2; ++half) CAIRN_CHECK(read_half(half, known));
  return {};
}

// The journal is read with O_DIRECT, so a poll reads from the disk. Most polls of a quiet store are spared
// that by the file's mtime, which is read before the pages.
Result<bool> JournalTail::may_have_changed() {
  struct stat facts {};
  if (fstat(journal_->file_descriptor(), &facts) != 0) return system_error("fstat of the journal", errno);
  const std::int64_t written = facts.st_mtim.tv_sec * 1'000'000'000ll + facts.st_mtim.tv_nsec;
  const auto now = std::chrono::steady_clock::now();
  if (at_rest_ && written == written_at_ && now - read_at_ < kReadAtLeastEvery) return false;
  const std::chrono::nanoseconds wall_time = std::chrono::system_clock::now().time_since_epoch();
  written_at_ = written;
  at_rest_ = written < (wall_time - kRestAfter).count();
  read_at_ = now;
  return true;
}

Status JournalTail::read_half(unsigned half, const LogPlace& known) {
  CAIRN_CHECK(begin_round(half));
  Half& place = halves_[half];
  for (;;) {
    CAIRN_TRY(const auto bytes, block_at(half, place.offset));
    if (bytes.empty()) return {};
    CAIRN_TRY(const BlockHeader header, BlockHeader::read(bytes));
    if (header.first_position <= place.last.position || header.end() <= place.last)
      return {};  // of an earlier round
    place.offset += BlockCopy::padded(bytes.size());
    place.last = header.end();
    if (header.end() <= known) continue;
    CAIRN_TRY(Block copy, BlockCopy::of(bytes));
    found_.insert_or_assign(key_of(header), Found{std::move(copy), half});
  }
}

Status JournalTail::begin_round(unsigned half) {
  CAIRN_CHECK(load(half, 0, kPage));
  const std::span<const std::byte> page{window_.get(), kPage};
  const std::uint64_t start =
      Journal::claimed_bytes(page) > 0 ? checksum64(page.data(), BlockHeader::kBytesMin) : std::uint64_t{0};
  window_bytes_ = 0;  // only this page was needed; the following ones are copied when they are read
  Half& place = halves_[half];
  if (start == place.start) return {};
  place = {.start = start, .offset = 0, .last = {}};
  std::erase_if(found_, [half](const auto& entry) { return entry.second.half == half; });
  return {};
}

Result<std::span<const std::byte>> JournalTail::block_at(unsigned half, std::uint64_t offset) {
  const std::uint64_t left = journal_->block_bytes_max() - offset;
  if (left == 0) return std::span<const std::byte>();
  if (offset < window_offset_ || offset >= window_offset_ + window_bytes_)
    CAIRN_CHECK(load(half, offset, std::min(kWindowBytes, left)));
  const auto rest = [&] {
    const std::uint64_t skipped = offset - window_offset_;
    return std::span<const std::byte>(window_.get() + skipped, window_bytes_ - skipped);
  };
  const std::uint64_t claimed = Journal::claimed_bytes(rest());
  if (claimed > rest().size() && claimed <= left) CAIRN_CHECK(load(half, offset, BlockCopy::padded(claimed)));
  return Journal::sound_block(rest());
}

Status JournalTail::load(unsigned half, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes > window_capacity_) {
    const std::uint64_t capacity = std::max(bytes, kWindowBytes);
    window_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, capacity)));
    if (window_ == nullptr) throw std::bad_alloc();
    window_capacity_ = capacity;
  }
  window_offset_ = offset;
  window_bytes_ = 0;
  CAIRN_CHECK(journal_->read_pages(half, offset, {window_.get(), bytes}));
  window_bytes_ = bytes;
  return {};
}

JournalTail::Block JournalTail::after(const LogPlace& place) const {
  const std::uint64_t next = place.position.value + 1;
  for (const std::uint64_t number : {place.number + 1, std::uint64_t{0}}) {
    const auto found = found_.find({next, number});
    if (found != found_.end() && found->second.block->header().follows(place)) return found->second.block;
  }
  return nullptr;
}

}  // namespace cairn

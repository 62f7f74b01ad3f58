#include "eventstore/follow/journal_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "eventstore/base/endian.h"

namespace cairn {
namespace {

constexpr std::uint64_t kPage = BlockCopy::kPageBytes;
constexpr std::uint64_t kWindowBytes = 128u << 10;

// A file's time moves with the kernel's tick, 10 ms at most, and is set before the bytes are there.
constexpr std::chrono::nanoseconds kRestAfter = std::chrono::milliseconds(100);
// For a clock that was set back to the very time the file had, or a disk that took longer than that.
constexpr std::chrono::seconds kReadAtLeastEvery{1};

}  // namespace

void JournalTail::Free::operator()(std::byte* pages) const { std::free(pages); }

JournalTail::JournalTail(std::unique_ptr<Journal> journal) : journal_(std::move(journal)) {}

Result<std::unique_ptr<JournalTail>> JournalTail::open(const std::filesystem::path& file) {
  CAIRN_TRY(auto journal, Journal::open(file, Journal::Access::kReadOnly));
  return std::unique_ptr<JournalTail>(new JournalTail(std::move(journal)));
}

Status JournalTail::look(GlobalPosition known) {
  found_.erase(found_.begin(), found_.upper_bound(known.value));
  CAIRN_TRY(const bool grown, may_have_grown());
  if (!grown) return {};
  for (unsigned half = 0; half < 2; ++half) CAIRN_CHECK(look_at(half, known));
  return {};
}

// The journal is read past the page cache, so that a look costs reads of the disk; most looks of a quiet
// store are spared them by the file's time. It is asked for before the pages are read.
Result<bool> JournalTail::may_have_grown() {
  struct stat facts {};
  if (fstat(journal_->file_descriptor(), &facts) != 0) return system_error("looking at the journal", errno);
  const std::int64_t written = facts.st_mtim.tv_sec * 1'000'000'000ll + facts.st_mtim.tv_nsec;
  const auto now = std::chrono::steady_clock::now();
  if (at_rest_ && written == written_at_ && now - read_at_ < kReadAtLeastEvery) return false;
  const std::chrono::nanoseconds today = std::chrono::system_clock::now().time_since_epoch();
  written_at_ = written;
  at_rest_ = written < (today - kRestAfter).count();
  read_at_ = now;
  return true;
}

Status JournalTail::look_at(unsigned half, GlobalPosition known) {
  CAIRN_CHECK(begin_round(half));
  Half& place = halves_[half];
  for (;;) {
    CAIRN_TRY(const auto bytes, block_at(half, place.offset));
    if (bytes.empty()) return {};
    CAIRN_TRY(const BlockHeader header, BlockHeader::read(bytes));
    if (header.first_position <= place.last) return {};  // of an earlier round
    place.offset += BlockCopy::padded(bytes.size());
    place.last = header.last_position();
    if (header.last_position() <= known) continue;
    CAIRN_TRY(Block copy, BlockCopy::of(bytes));
    found_.insert_or_assign(header.first_position.value, Found{std::move(copy), half});
  }
}

Status JournalTail::begin_round(unsigned half) {
  CAIRN_CHECK(load(half, 0, kPage));
  const std::span<const std::byte> page{window_.get(), kPage};
  const std::uint64_t start =
      Journal::claimed_bytes(page) > 0 ? load_le<std::uint64_t>(page.data() + 8) : std::uint64_t{0};
  window_bytes_ = 0;  // judged by this page alone; what follows is copied anew
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

JournalTail::Block JournalTail::at(GlobalPosition first) const {
  const auto found = found_.find(first.value);
  return found == found_.end() ? nullptr : found->second.block;
}

}  // namespace cairn

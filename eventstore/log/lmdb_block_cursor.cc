#include "eventstore/log/lmdb_block_cursor.h"

#include <string>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/format/block_header.h"

namespace cairn {
namespace {

// A cursor that took this many steps is a scan, and the file is read ahead of it. Reads of streams and of
// short pages take fewer.
constexpr unsigned kScanSteps = 4;

// How far a scan reads ahead: enough for a disk to be busy while the blocks before are worked on.
constexpr std::uint64_t kReadAheadBytes = 2u << 20;

constexpr std::size_t kPositionBytes = 8;
constexpr std::size_t kPlaceBytes = 16;

std::string key_of_events(GlobalPosition first) {
  std::string key(kPositionBytes, '\0');
  store_be64(key.data(), first.value);
  return key;
}

std::string key_of_notes(const LogPlace& end) {
  std::string key(kPlaceBytes, '\0');
  store_be64(key.data(), end.position.value);
  store_be64(key.data() + kPositionBytes, end.number);
  return key;
}

bool reaches(const lmdb::Record& record, GlobalPosition position) {
  const auto header = BlockHeader::read(std::as_bytes(std::span(record.value.data(), record.value.size())));
  return header.ok() && header->last_position() >= position;
}

}  // namespace

Status LmdbBlockCursor::begin(Transaction which) {
  if (txn_ && which == Transaction::kAny) return {};
  cursor_.reset();
  txn_.reset();
  CAIRN_TRY(auto txn, env_.begin_read());
  txn_.emplace(std::move(txn));
  CAIRN_TRY(auto cursor, lmdb::Cursor::open(*txn_, table_));
  cursor_.emplace(std::move(cursor));
  return {};
}

// Blocks that follow each other in the log mostly do so in the file, because blocks are never deleted. The
// next half of the window is asked for when the scan has reached the middle of it.
void LmdbBlockCursor::read_ahead() {
  if (++steps_ < kScanSteps) return;
  const std::byte* const end = current_.bytes.data() + current_.bytes.size();
  const bool known = steps_ > kScanSteps && end <= ahead_ && end + kReadAheadBytes > ahead_;
  if (known && end + kReadAheadBytes / 2 <= ahead_) return;
  const std::byte* const from = known ? ahead_ : end;
  ahead_ = end + kReadAheadBytes;
  env_.read_ahead(from, static_cast<std::uint64_t>(ahead_ - from));
}

RawBlock LmdbBlockCursor::take(UnsettledBlocks::Block block) {
  current_unsettled_ = std::move(block);
  current_ = {current_unsettled_->first_position(), current_unsettled_->bytes(),
              current_unsettled_->end().number};
  return current_;
}

Result<std::optional<RawBlock>> LmdbBlockCursor::take(const std::optional<lmdb::Record>& record) {
  if (!record) return std::optional<RawBlock>();
  const std::string_view key = record->key;
  if (key.size() != kPositionBytes && key.size() != kPlaceBytes)
    return make_error(Errc::kCorruption, env_.name() + " has a record with an invalid key");
  current_unsettled_.reset();
  current_ = {{load_be64(key.data())}, std::as_bytes(std::span(record->value.data(), record->value.size()))};
  if (key.size() == kPlaceBytes) {
    current_.first_position.value += 1;
    current_.number = load_be64(key.data() + kPositionBytes);
  }
  return std::optional(current_);
}

Result<std::optional<RawBlock>> LmdbBlockCursor::seek(GlobalPosition position) {
  steps_ = 0;
  if (auto block = unsettled_.find(position)) return std::optional(take(std::move(block)));
  const bool may_be_old = txn_.has_value();
  CAIRN_CHECK(begin(Transaction::kAny));
  const std::string key = key_of_events(position);
  CAIRN_TRY(auto found, cursor_->at_or_before(key));
  if (may_be_old && !(found && reaches(*found, position))) {
    // The transaction began before this call, and the block may have settled in between.
    CAIRN_CHECK(begin(Transaction::kNew));
    CAIRN_TRY(found, cursor_->at_or_before(key));
  }
  return take(found);
}

Result<std::optional<RawBlock>> LmdbBlockCursor::last() {
  if (auto block = unsettled_.last()) return std::optional(take(std::move(block)));
  CAIRN_CHECK(begin(Transaction::kNew));
  CAIRN_TRY(const auto found, cursor_->last());
  return take(found);
}

Result<std::optional<RawBlock>> LmdbBlockCursor::next() {
  CAIRN_ASSERT(current_unsettled_ != nullptr || cursor_.has_value());
  if (current_unsettled_ == nullptr) {
    CAIRN_TRY(const auto found, cursor_->next());
    if (found) {
      CAIRN_TRY(const auto block, take(found));
      read_ahead();
      return block;
    }
  }
  const auto header = BlockHeader::read(current_.bytes);
  if (!header.ok()) return std::optional<RawBlock>();  // damaged: its end, and so the next block, is unknown
  CAIRN_TRY(const auto block, after(header->end()));
  if (!block || block->first_position.value != header->last_position().value + 1)
    return std::optional<RawBlock>();
  return block;
}

Result<std::optional<RawBlock>> LmdbBlockCursor::after(const LogPlace& place) {
  steps_ = 0;
  if (auto block = unsettled_.after(place)) return std::optional(take(std::move(block)));
  // The first key behind the place: that of the next block without events, or a greater one.
  const std::string key = key_of_notes({place.position, place.number + 1});
  const bool may_be_old = txn_.has_value();
  CAIRN_CHECK(begin(Transaction::kAny));
  CAIRN_TRY(auto found, cursor_->at_or_after(key));
  if (may_be_old && !found) {
    // The transaction began before this call, and the block may have settled in between.
    CAIRN_CHECK(begin(Transaction::kNew));
    CAIRN_TRY(found, cursor_->at_or_after(key));
  }
  return take(found);
}

std::string LmdbBlockCursor::key_of(const BlockHeader& header) {
  return header.has_events() ? key_of_events(header.first_position) : key_of_notes(header.end());
}

}  // namespace cairn

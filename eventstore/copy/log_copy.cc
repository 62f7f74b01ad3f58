#include "eventstore/copy/log_copy.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eventstore/copy/copy_progress.h"
#include "eventstore/copy/pages_check.h"
#include "eventstore/follow/followed_log.h"
#include "eventstore/lmdb/bulk_writer.h"
#include "eventstore/log/journal.h"
#include "eventstore/log/lmdb_block_cursor.h"
#include "eventstore/log/lmdb_block_log.h"
#include "eventstore/read/log_scan.h"

namespace cairn {
namespace {

constexpr int kScansWithoutProgressMax = 10;
constexpr int kScansMax = 1'000;
constexpr unsigned kLogCopyReaders = 8;

Error damaged_source(GlobalPosition position, const std::string& what) {
  Error error = make_error(Errc::kCorruption, what);
  error.position = position.value;
  return error;
}

// Advances `log` to the last durable block. FollowedLog skips invalid blocks in the journal, because a writer
// may be in the middle of writing one. But if valid blocks follow the invalid one and it never becomes valid,
// an acknowledged block is damaged. A writer may also overwrite a half of the journal while it is scanned,
// which looks like a gap; then the end has moved by the next scan. Blocks acknowledged before the first scan
// are in LMDB long before the last one.
Status advance_to_end(FollowedLog& log, const Journal& journal) {
  const BlockVisitor nothing = [](BlockReader&, std::span<const std::byte>) -> Result<bool> { return true; };
  int without_progress = 0;
  for (int scan = 0; scan < kScansMax; ++scan) {
    const LogPlace before = log.end().place();
    CAIRN_CHECK(log.poll(FollowedLog::LastBlock::kSync, nothing));
    const auto beyond = journal.blocks_after(log.end().place());
    if (beyond.ok()) return {};
    without_progress = log.end().place() == before ? without_progress + 1 : 0;
    if (without_progress == kScansWithoutProgressMax) return beyond.error();
  }
  return {};
}

// Checks each block against the hash chain and writes it to the copy.
class ChainWriter {
 public:
  ChainWriter(lmdb::Env& env, MDB_dbi table, const Uuid& store_id, const std::optional<IndexState>& index)
      : writer_(env), table_(table), index_(index) {
    copied_.end.hash = chain_anchor(store_id);
  }

  Status add(const BlockHeader& header, std::span<const std::byte> bytes) {
    const GlobalPosition first = header.first_position;
    if (header.previous_hash != copied_.end.hash) {
      return damaged_source(
          first, fmt::format("log block {} does not continue the hash chain: it names another previous block",
                             first.value));
    }
    copied_.end = {.last_position = header.last_position(),
                   .number = header.end().number,
                   .hash = sha256(bytes),
                   .epoch = header.epoch,
                   .recorded_at = header.recorded_at};
    CAIRN_CHECK(check_index());
    CAIRN_CHECK(writer_.put(table_, LmdbBlockCursor::key_of(header),
                            {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    ++copied_.blocks;
    copied_.bytes += bytes.size();
    return {};
  }

  Result<LogCopy> finish() {
    CAIRN_CHECK(writer_.finish());
    return copied_;
  }

 private:
  Status check_index() const {
    const LogEnd& end = copied_.end;
    if (!index_ || end.place() != LogPlace{index_->through, 0} || end.hash == index_->hash) return {};
    return damaged_source(
        end.last_position,
        fmt::format("the log is not the one its index was made from: they differ at position {}",
                    end.last_position.value));
  }

  lmdb::BulkWriter writer_;
  MDB_dbi table_;
  const std::optional<IndexState>& index_;
  LogCopy copied_;
};

}  // namespace

Result<LogCopy> copy_log(const std::filesystem::path& from, const std::filesystem::path& to,
                         const Uuid& store_id, const std::optional<IndexState>& index,
                         const CopyProgress& progress) {
  CAIRN_CHECK(check_pages_beside(from));
  CAIRN_TRY(const auto log, FollowedLog::open(from, store_id, {.readers_max = kLogCopyReaders}));
  CAIRN_TRY(const auto journal, Journal::open(from / "journal", Journal::Access::kReadOnly));
  CAIRN_CHECK(advance_to_end(*log, *journal));
  const GlobalPosition end = log->end().last_position;
  if (index && index->through > end) {
    return damaged_source({end.value + 1},
                          fmt::format("the log ends at position {}, but its index contains events up to {}: "
                                      "the log was truncated or replaced by an older copy",
                                      end.value, index->through.value));
  }

  CAIRN_CHECK(LmdbBlockLog::create(
      to, {.journal_bytes = 2 * journal->block_bytes_max(), .format = journal->format()}));
  CAIRN_TRY(const auto env, lmdb::Env::open(to, {}));
  MDB_dbi table = 0;
  const std::array<lmdb::TableHandle, 1> tables{{{nullptr, &table}}};
  CAIRN_CHECK(env->open_tables(tables));
  ChainWriter writer(*env, table, store_id, index);
  const BlockVisitor copy_block = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    const BlockHeader& header = block.header();
    CAIRN_CHECK(report_progress(progress, "log", header.last_position().value, end.value));
    CAIRN_CHECK(writer.add(header, bytes));
    return true;
  };
  CAIRN_CHECK(scan_between(*log, {}, log->end().place(), copy_block));
  return writer.finish();
}

}  // namespace cairn

#include "eventstore/copy/log_copy.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "eventstore/base/endian.h"
#include "eventstore/copy/given_up.h"
#include "eventstore/copy/pages_check.h"
#include "eventstore/follow/followed_log.h"
#include "eventstore/lmdb/bulk_writer.h"
#include "eventstore/log/journal.h"
#include "eventstore/log/lmdb_block_log.h"
#include "eventstore/read/log_scan.h"

namespace cairn {
namespace {

constexpr int kLogLooksInVainMax = 10;
constexpr int kLogLooksMax = 1'000;
constexpr unsigned kLogCopyReaders = 8;

Error damaged_source(GlobalPosition position, const std::string& what) {
  Error error = make_error(Errc::kCorruption, what);
  error.position = position.value;
  return error;
}

// Brings the followed log to the end of all that is on disk. It passes over what is not sound in the journal,
// which may be a block that is just being written; but when there are blocks behind it, and it never comes,
// then one that was acknowledged is damaged. Beside a writer the journal may be written over while it is
// read, and there seems to be a gap; then the end moves on with the next look. All that was acknowledged
// before the first is in LMDB long before the last.
Status look_to_the_end(FollowedLog& log, const Journal& journal) {
  const BlockVisitor nothing = [](BlockReader&, std::span<const std::byte>) -> Result<bool> { return true; };
  int in_vain = 0;
  for (int look = 0; look < kLogLooksMax; ++look) {
    const GlobalPosition before = log.end().last_position;
    CAIRN_CHECK(log.look(FollowedLog::LastBlock::kTake, nothing));
    const auto beyond = journal.blocks_after(log.end().last_position);
    if (beyond.ok()) return {};
    in_vain = log.end().last_position == before ? in_vain + 1 : 0;
    if (in_vain == kLogLooksInVainMax) return beyond.error();
  }
  return {};
}

// Takes the blocks one after the other, holds each against the chain, and writes it.
class BlockTaker {
 public:
  BlockTaker(lmdb::Env& env, MDB_dbi table, const Uuid& store_id, const std::optional<IndexState>& index)
      : writer_(env), table_(table), index_(index) {
    copied_.end.hash = chain_anchor(store_id);
  }

  Status take(const BlockHeader& header, std::span<const std::byte> bytes) {
    const GlobalPosition first = header.first_position;
    if (header.previous_hash != copied_.end.hash) {
      return damaged_source(first, "log block " + std::to_string(first.value) +
                                       " does not continue the chain: it names another block before it");
    }
    copied_.end = {.last_position = header.last_position(),
                   .hash = sha256(bytes),
                   .epoch = header.epoch,
                   .recorded_at = header.recorded_at};
    CAIRN_CHECK(check_index());
    char key[8];
    store_be64(key, first.value);
    CAIRN_CHECK(
        writer_.put(table_, {key, sizeof key}, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
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
    if (!index_ || end.last_position != index_->through || end.hash == index_->hash) return {};
    return damaged_source(end.last_position,
                          "the log is not the one its index was made from: they differ at position " +
                              std::to_string(end.last_position.value));
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
  CAIRN_CHECK(look_to_the_end(*log, *journal));
  const GlobalPosition end = log->end().last_position;
  if (index && index->through > end) {
    return damaged_source({end.value + 1}, "the log ends at position " + std::to_string(end.value) +
                                               ", but its index has seen " +
                                               std::to_string(index->through.value) +
                                               ": it was cut or replaced by an older copy");
  }

  CAIRN_CHECK(LmdbBlockLog::create(to, {.journal_bytes = 2 * journal->block_bytes_max()}));
  CAIRN_TRY(const auto env, lmdb::Env::open(to, {}));
  MDB_dbi table = 0;
  const std::array<lmdb::TableHandle, 1> tables{{{nullptr, &table}}};
  CAIRN_CHECK(env->open_tables(tables));
  BlockTaker taker(*env, table, store_id, index);
  const BlockVisitor take = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    const BlockHeader& header = block.header();
    if (progress && !progress("log", header.last_position().value, end.value)) return copy_given_up();
    CAIRN_CHECK(taker.take(header, bytes));
    return true;
  };
  CAIRN_CHECK(scan_blocks(*log, {1}, end, take));
  return taker.finish();
}

}  // namespace cairn

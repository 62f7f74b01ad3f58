#include "eventstore/verify.h"

#include <fcntl.h>
#include <sys/file.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/file.h"
#include "eventstore/index/index.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/lmdb_block_log.h"
#include "eventstore/recovery/data_folder.h"
#include "eventstore/verify/index_walk.h"
#include "eventstore/verify/log_walk.h"
#include "eventstore/verify/repeated_ids.h"

namespace cairn {
namespace {

constexpr unsigned kReaders = 8;

// The folder's lock, or nullopt if another process has it. With the lock no process writes, and every page
// can be checked.
std::optional<File> lock_if_free(const std::filesystem::path& folder) {
  auto lock = File::open(folder / "lock", O_RDONLY);
  if (!lock.ok() || flock(lock->descriptor(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return *std::move(lock);
}

void check_pages(const std::filesystem::path& file, const std::string& name, Findings& findings) {
  const Status status = lmdb::check_trees(file, lmdb::TreeCheck::kAll);
  if (!status.ok()) findings.add(name + " pages", status.error().message);
}

// Reads the log up to the index's position, compares the two, then reads the rest.
Status compare(LogWalk& log, const IndexReader& index, VerifyReport& report, const VerifyProgress& progress) {
  Findings findings(report);
  const auto state = index.state();
  if (!state.ok()) findings.add("index state", state.error().message);
  const bool known = state.ok() && state->has_value();
  const GlobalPosition through = known ? (*state)->through : GlobalPosition{0};
  report.indexed_through = through.value;
  CAIRN_CHECK(log.walk_to(through));
  if (log.unbroken() && report.head < through.value) {
    findings.add("log", fmt::format("ends at position {}, but the index contains events up to {}",
                                    report.head, through.value));
  } else if (known && log.unbroken() && report.head_hash != to_hex((*state)->hash) && through.value > 0) {
    findings.add("index state", "was made from another log");
  }
  IndexWalk walk(index, report, progress);
  CAIRN_CHECK(walk.walk(log.unbroken() && state.ok() ? &log.expected() : nullptr));

  HeadsAhead& ahead = walk.ahead();
  log.on_event = [&](const StoredEvent& stored) {
    const auto found = ahead.find(stored.event.stream);
    if (found == ahead.end() || found->second.version != stored.event.version) return;
    if (found->second == log.expected().head(stored.event.stream)) ahead.erase(found);
  };
  CAIRN_CHECK(log.walk_to({~std::uint64_t{0}}));
  if (!log.unbroken()) return {};
  for (const auto& [name, head] : ahead) {
    findings.add("index stream '" + name + "'",
                 fmt::format("says version {}, which the log does not have", head.version.value));
  }
  return {};
}

}  // namespace

Result<VerifyReport> verify_store(const std::filesystem::path& folder, const VerifyProgress& progress,
                                  VerifyIds ids, const VerifyVisitor& visit) {
  CAIRN_TRY(const DataFolder store, DataFolder::inspect(folder));
  VerifyReport report;
  report.store_id = store.store_id().to_string();
  Findings findings(report);

  const std::filesystem::path log_file = store.log() / "data.mdb";
  const std::filesystem::path index_file = store.index() / "data.mdb";
  CAIRN_CHECK(lmdb::check_file(log_file));
  const bool has_index = std::filesystem::exists(index_file);
  if (has_index) CAIRN_CHECK(lmdb::check_file(index_file));
  const auto lock = lock_if_free(folder);
  if (lock) {
    check_pages(log_file, "log", findings);
    if (has_index) check_pages(index_file, "index", findings);
  }

  // The index is read as of now, and the log as of later: beside a server, the log then has every event that
  // the index refers to. In the other order a flush in between would look like a truncated log.
  std::unique_ptr<Index> index;
  std::optional<IndexReader> reader;
  if (has_index) {
    CAIRN_TRY(index, Index::open(store.index(), {.readers_max = kReaders,
                                                 .access = lmdb::Access::kReadOnly,
                                                 .reads = lmdb::ReadPattern::kScan}));
    CAIRN_TRY(auto snapshot, index->read());
    reader.emplace(std::move(snapshot));
  }
  ExpectedIndex::Basis basis{
      .id_seed = Index::id_seed(store.store_id()), .digest_key = {}, .lists_through = {}};
  if (reader) {
    const auto plain_server_ids = reader->has_plain_server_ids();
    if (!plain_server_ids.ok()) findings.add("index state", plain_server_ids.error().message);
    basis.plain_server_ids = plain_server_ids.ok() && *plain_server_ids;
    if (const auto runs = reader->runs(); runs.ok()) {
      basis.digest_key = (*runs)->digest_key;
      basis.lists_through = (*runs)->lists_through;
    }
  }
  CAIRN_TRY(const auto log,
            LmdbBlockLog::open(store.log(), {.readers_max = kReaders, .access = lmdb::Access::kReadOnly}));
  LogWalk walk(*log, store.store_id(), basis, report, progress);
  walk.visit = visit;
  CAIRN_CHECK(reader ? compare(walk, *reader, report, progress) : walk.walk_to({~std::uint64_t{0}}));
  if (ids == VerifyIds::kIgnore || !walk.unbroken()) return report;
  reader.reset();  // a long transaction would let the server's index grow
  CAIRN_TRY(RepeatedIds repeated, find_repeated_ids(*log, {report.head}, progress));
  report.repeated_id_count = repeated.count;
  report.repeated_ids = std::move(repeated.first);
  return report;
}

}  // namespace cairn

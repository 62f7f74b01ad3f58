#include "eventstore/tables/table_store.h"

#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/file.h"
#include "eventstore/lmdb/cursor.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn {
namespace {

constexpr std::uint64_t kCheckedWhollyBytesMax = 256u << 20;
constexpr int kOpenAttemptsMax = 100;

std::filesystem::path file_in(const std::filesystem::path& folder) { return folder / "data.mdb"; }

std::optional<TableRecord> to_record(const std::optional<lmdb::Record>& record) {
  if (!record) return std::nullopt;
  return TableRecord{record->key, record->value};
}

Result<std::unique_ptr<lmdb::Env>> open_env(const std::filesystem::path& folder,
                                            const TableStoreOptions& options) {
  const bool writable = options.access == TableStoreOptions::Access::kReadWrite;
  const lmdb::EnvOptions env_options{.map_bytes = options.map_bytes,
                                     .tables_max = static_cast<unsigned>(options.tables.size()),
                                     .readers_max = options.readers_max,
                                     .access = writable ? lmdb::Access::kReadWrite : lmdb::Access::kReadOnly};
  // Another process may commit while this one reads the meta pages, which then disagree. So a reader tries
  // again before it reports damage.
  for (int attempt = 1;; ++attempt) {
    auto env = lmdb::Env::open(folder, env_options);
    if (env.ok() || writable || env.error().code != Errc::kCorruption || attempt == kOpenAttemptsMax)
      return env;
  }
}

// LMDB follows page numbers without checking them, and a commit on top of damage would spread it.
Status check_pages(const std::filesystem::path& file) {
  CAIRN_TRY(const lmdb::FileFacts facts, lmdb::check_file(file));
  return lmdb::check_trees(
      file, facts.used_bytes <= kCheckedWhollyBytesMax ? lmdb::TreeCheck::kAll : lmdb::TreeCheck::kAtOpen);
}

}  // namespace

TableCursor::TableCursor(lmdb::Cursor cursor) : cursor_(std::make_unique<lmdb::Cursor>(std::move(cursor))) {}
TableCursor::TableCursor(TableCursor&& other) noexcept = default;
TableCursor::~TableCursor() = default;

Result<std::optional<TableRecord>> TableCursor::at_or_after(std::string_view key) {
  CAIRN_TRY(const auto found, key.empty() ? cursor_->first() : cursor_->at_or_after(key));
  return to_record(found);
}

Result<std::optional<TableRecord>> TableCursor::next() {
  CAIRN_TRY(const auto found, cursor_->next());
  return to_record(found);
}

TableSnapshot::TableSnapshot(lmdb::ReadTxn txn, const std::vector<unsigned>& handles)
    : txn_(std::make_unique<lmdb::ReadTxn>(std::move(txn))), handles_(&handles) {}
TableSnapshot::TableSnapshot(TableSnapshot&& other) noexcept = default;
TableSnapshot::~TableSnapshot() = default;

Result<std::optional<std::string_view>> TableSnapshot::get(TableId table, std::string_view key) const {
  if (key.empty() || key.size() > kTableKeyBytesMax) return std::optional<std::string_view>();
  return lmdb::get(*txn_, handles_->at(table.index), key);
}

Result<TableCursor> TableSnapshot::cursor(TableId table) const {
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(*txn_, handles_->at(table.index)));
  return TableCursor(std::move(cursor));
}

Result<std::unique_ptr<TableStore>> TableStore::create(const std::filesystem::path& folder,
                                                       const TableStoreOptions& options) {
  CAIRN_ASSERT(options.access == Access::kReadWrite);
  CAIRN_CHECK(make_folder(folder));
  CAIRN_TRY(auto store, attach(folder, options, true));
  CAIRN_CHECK(sync_folder(folder));
  return store;
}

Result<std::unique_ptr<TableStore>> TableStore::open(const std::filesystem::path& folder,
                                                     const TableStoreOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(file_in(folder), error)) {
    return make_error(Errc::kNotFound, "there are no tables in " + folder.string());
  }
  if (options.access == Access::kReadWrite) CAIRN_CHECK(check_pages(file_in(folder)));
  return attach(folder, options, false);
}

Result<std::unique_ptr<TableStore>> TableStore::attach(const std::filesystem::path& folder,
                                                       const TableStoreOptions& options, bool make) {
  std::unique_ptr<TableStore> store(new TableStore);
  store->folder_ = folder;
  store->access_ = options.access;
  CAIRN_TRY(store->env_, open_env(folder, options));
  store->handles_.resize(options.tables.size());
  std::vector<lmdb::TableHandle> tables;
  for (std::size_t i = 0; i < options.tables.size(); ++i) {
    tables.push_back({options.tables[i].c_str(), &store->handles_[i]});
  }
  CAIRN_CHECK(store->env_->open_tables(tables, make ? lmdb::Missing::kMake : lmdb::Missing::kFail));
  return store;
}

TableStore::~TableStore() = default;

Result<TableSnapshot> TableStore::read() const {
  CAIRN_TRY(lmdb::ReadTxn txn, env_->begin_read());
  return TableSnapshot(std::move(txn), handles_);
}

Status TableStore::write(const std::function<Status(TableWriter&)>& fill) {
  if (access_ == Access::kReadOnly) {
    return make_error(Errc::kFailedPrecondition, folder_.string() + " is open for reading only");
  }
  const MutexLock writing(write_mutex_);
  for (;;) {
    int code = 0;
    try {
      CAIRN_TRY(lmdb::WriteTxn txn, env_->begin_write());
      TableWriter writer(txn, handles_, env_->name());
      const Status filled = fill(writer);
      code = writer.code_;
      if (code == 0 && !filled.ok()) return filled;
      if (code == 0) code = txn.commit();
    } catch (const lmdb::BrokenStructure& broken) {
      return make_error(Errc::kCorruption, folder_.string() + " is damaged: " + broken.what());
    }
    if (code == 0) return {};
    if (code != MDB_MAP_FULL) return failed_write(code);
    env_->clear_dead_readers();
    CAIRN_CHECK(env_->grow());
  }
}

// A commit that fails before its last step, the write of the meta page, has no effect, and LMDB accepts
// further transactions. If the write of the meta page fails, it may have reached the disk all the same; LMDB
// then refuses every transaction, which is how the two cases are told apart.
Error TableStore::failed_write(int code) {
  Error error = lmdb::lmdb_error("writing " + folder_.string(), lmdb::meant_code(code, folder_));
  if (!env_->begin_write().ok()) error.code = Errc::kOutcomeUnknown;
  return error;
}

std::uint64_t TableStore::used_bytes() const { return env_->used_bytes(); }
std::uint64_t TableStore::map_bytes() const { return env_->map_bytes(); }
void TableStore::clear_dead_readers() { env_->clear_dead_readers(); }

}  // namespace cairn

#include "eventstore/copy/index_copy.h"

#include <array>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/base/sealed.h"
#include "eventstore/copy/copy_progress.h"
#include "eventstore/copy/pages_check.h"
#include "eventstore/lmdb/bulk_writer.h"

namespace cairn {
namespace {

using IndexTable = IndexReader::Table;

constexpr std::array kIndexTables{IndexTable::kStreams, IndexTable::kPostings, IndexTable::kTerms,
                                  IndexTable::kIds,     IndexTable::kState,    IndexTable::kSnapshots};
constexpr std::uint64_t kRecordsPerReport = 4'096;

}  // namespace

Result<IndexCopy> copy_index(const std::filesystem::path& from, const std::filesystem::path& to,
                             const CopyProgress& progress) {
  CAIRN_CHECK(check_pages_beside(from));
  CAIRN_TRY(const auto index,
            Index::open(from, {.access = lmdb::Access::kReadOnly, .reads = lmdb::ReadPattern::kScan}));
  CAIRN_TRY(const IndexReader reader, index->read());
  IndexCopy copied;
  CAIRN_TRY(copied.state, reader.state());

  CAIRN_CHECK(make_folder(to));
  CAIRN_TRY(const auto env, lmdb::Env::open(to, {.tables_max = kIndexTables.size()}));
  std::array<MDB_dbi, kIndexTables.size()> handles{};
  std::array<lmdb::TableHandle, kIndexTables.size()> tables{};
  for (std::size_t i = 0; i < tables.size(); ++i)
    tables[i] = {IndexReader::name_of(kIndexTables[i]), &handles[i]};
  CAIRN_CHECK(env->open_tables(tables));

  lmdb::BulkWriter writer(*env);
  std::uint64_t records = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const bool snapshot = kIndexTables[i] == IndexTable::kSnapshots;
    const auto copy_record = [&](std::string_view key, std::string_view value) -> Status {
      if (++records % kRecordsPerReport == 0)
        CAIRN_CHECK(report_progress(progress, "index", records, records));
      const auto payload = record::unseal(key, value);
      if (!payload.ok() && snapshot) return {};
      if (!payload.ok()) return payload.error();
      if (snapshot) ++copied.snapshots;
      return writer.put(handles[i], key, value);
    };
    CAIRN_CHECK(reader.walk(kIndexTables[i], copy_record));
  }
  CAIRN_CHECK(writer.finish());
  return copied;
}

}  // namespace cairn

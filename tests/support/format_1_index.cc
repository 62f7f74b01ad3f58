#include "tests/support/format_1_index.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"
#include "eventstore/index/index.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn::test {
namespace {

constexpr std::size_t kChunkBytesMax = 1'900;
constexpr std::size_t kVarintBytesMax = 10;
constexpr std::size_t kPositionBytes = 8;

std::string key_of(std::string_view prefix, std::uint64_t first) {
  std::string key(prefix);
  key.resize(key.size() + kPositionBytes);
  store_be64(key.data() + prefix.size(), first);
  return key;
}

int put(MDB_txn* txn, MDB_dbi table, std::string_view key, std::string_view value) {
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value_val = lmdb::to_val(value);
  return mdb_put(txn, table, &key_val, &value_val, 0);
}

using Lists = std::map<std::pair<TermKind, std::string>, std::vector<std::uint64_t>>;

Result<Lists> lists_of(const std::filesystem::path& folder) {
  Lists lists;
  CAIRN_TRY(const auto index,
            Index::open(folder, {.map_bytes = 64u << 20, .access = lmdb::Access::kReadOnly}));
  CAIRN_TRY(const IndexReader reader, index->read());
  CAIRN_TRY(const TermRuns* const runs, reader.runs());
  for (const TermRun& run : runs->runs) {
    CAIRN_TRY(RunCursor cursor, reader.walk_run(run.number));
    CAIRN_TRY(const RunCursor::Entry* entry, cursor.first());
    while (entry != nullptr) {
      if (entry->term.kind == TermKind::kCategory || entry->term.kind == TermKind::kType) {
        auto& list = lists[{entry->term.kind, entry->term.bytes}];
        list.insert(list.end(), entry->positions.begin(), entry->positions.end());
      }
      CAIRN_TRY(entry, cursor.next());
    }
  }
  return lists;
}

}  // namespace

Result<int> append_postings(MDB_txn* txn, MDB_dbi table, const TermView& term,
                            std::span<const std::uint64_t> positions) {
  std::string prefix(1, static_cast<char>(term.kind));
  prefix += term.bytes;
  prefix += '\0';
  std::string key;
  std::string payload;
  std::uint64_t last = 0;
  {
    CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
    CAIRN_TRY(const auto found, cursor.at_or_before(key_of(prefix, ~std::uint64_t{0})));
    if (found && found->key.size() == prefix.size() + kPositionBytes && found->key.starts_with(prefix)) {
      CAIRN_TRY(std::string_view old, record::unseal(found->key, found->value));
      key = found->key;
      payload = old;
      last = load_be64(key.data() + prefix.size());
      while (!old.empty()) last += record::take_varint(old).value();
    }
  }
  for (std::size_t i = 0; i < positions.size();) {
    if (key.empty() || payload.size() + kVarintBytesMax > kChunkBytesMax) {
      key = key_of(prefix, positions[i]);
      payload.clear();
      last = positions[i++];
    }
    while (i < positions.size() && payload.size() + kVarintBytesMax <= kChunkBytesMax) {
      record::put_varint(payload, positions[i] - last);
      last = positions[i++];
    }
    if (const int code = put(txn, table, key, record::seal(key, payload)); code != 0) return code;
  }
  return 0;
}

Status make_format_1_index(const std::filesystem::path& store) {
  const std::filesystem::path folder = store / "index";
  CAIRN_TRY(const Lists lists, lists_of(folder));
  CAIRN_TRY(const auto env, lmdb::Env::open(folder, {.map_bytes = 256u << 20, .tables_max = 8}));
  MDB_dbi postings = 0, terms = 0, state = 0;
  const std::array<lmdb::TableHandle, 3> tables{
      {{"postings", &postings, lmdb::Lack::kMake}, {"terms", &terms, lmdb::Lack::kMake}, {"state", &state}}};
  CAIRN_CHECK(env->open_tables(tables));
  CAIRN_TRY(lmdb::WriteTxn txn, env->begin_write());
  int code = mdb_drop(txn.get(), terms, 1);
  for (const auto& [term, positions] : lists) {
    if (code != 0) break;
    CAIRN_TRY(code, append_postings(txn.get(), postings, {term.first, term.second}, positions));
  }
  const std::string state_key = "state", runs_key = "runs";
  MDB_val key = lmdb::to_val(state_key), value{};
  if (code == 0) code = mdb_get(txn.get(), state, &key, &value);
  if (code == 0) {
    CAIRN_TRY(const std::string_view payload, record::unseal(state_key, lmdb::to_view(value)));
    std::string old(payload);
    store_le(old.data(), std::uint32_t{1});  // the format
    code = put(txn.get(), state, state_key, record::seal(state_key, std::move(old)));
  }
  key = lmdb::to_val(runs_key);
  if (code == 0) code = mdb_del(txn.get(), state, &key, nullptr);
  if (code == 0) code = txn.commit();
  if (code != 0) return lmdb::lmdb_error("making an index of format 1", code);
  return {};
}

}  // namespace cairn::test

#include "eventstore/index/postings.h"

#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn::postings {
namespace {

// Two chunks fill a page. LMDB puts larger values on overflow pages.
constexpr std::size_t kChunkBytesMax = 1'900;
constexpr std::size_t kVarintBytesMax = 10;
constexpr std::size_t kPositionBytes = 8;

std::string prefix_of(const PostingTerm& term) {
  std::string key(1, static_cast<char>(term.kind));
  key += term.name;
  key += '\0';
  return key;
}

std::string key_of(const std::string& prefix, std::uint64_t first) {
  std::string key = prefix;
  key.resize(key.size() + kPositionBytes);
  store_be64(key.data() + prefix.size(), first);
  return key;
}

Result<Chunk> decode_chunk(std::string_view key, std::string_view value) {
  CAIRN_TRY(std::string_view payload, record::unseal(key, value));
  Chunk chunk{load_be64(key.data() + key.size() - kPositionBytes)};
  while (!payload.empty()) {
    const auto distance = record::take_varint(payload);
    if (!distance || *distance == 0) {
      return make_error(Errc::kCorruption, "index posting '" + record::printable(key) + "' cannot be read");
    }
    chunk.push_back(chunk.back() + *distance);
  }
  return chunk;
}

bool is_of(const std::string& prefix, std::string_view key) {
  return key.size() == prefix.size() + kPositionBytes && key.starts_with(prefix);
}

Result<std::optional<Chunk>> decode_if_of(const std::string& prefix,
                                          const std::optional<lmdb::Record>& found) {
  if (!found || !is_of(prefix, found->key)) return std::optional<Chunk>();
  CAIRN_TRY(Chunk chunk, decode_chunk(found->key, found->value));
  return std::optional(std::move(chunk));
}

}  // namespace

Result<std::optional<Chunk>> chunk_at(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                      std::uint64_t position) {
  const std::string prefix = prefix_of(term);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(const auto found, cursor.at_or_before(key_of(prefix, position)));
  return decode_if_of(prefix, found);
}

Result<std::optional<Chunk>> chunk_after(const lmdb::ReadTxn& txn, MDB_dbi table, const PostingTerm& term,
                                         std::uint64_t position) {
  if (position == ~std::uint64_t{0}) return std::optional<Chunk>();
  const std::string prefix = prefix_of(term);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(const auto found, cursor.at_or_after(key_of(prefix, position + 1)));
  return decode_if_of(prefix, found);
}

Result<int> append(MDB_txn* txn, MDB_dbi table, const PostingTerm& term,
                   std::span<const std::uint64_t> positions) {
  const std::string prefix = prefix_of(term);
  std::string key;
  std::string payload;
  std::uint64_t last = 0;
  {
    CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
    CAIRN_TRY(const auto found, cursor.at_or_before(key_of(prefix, ~std::uint64_t{0})));
    if (found && is_of(prefix, found->key)) {
      CAIRN_TRY(const Chunk chunk, decode_chunk(found->key, found->value));
      CAIRN_TRY(const std::string_view old, record::unseal(found->key, found->value));
      key = found->key;
      payload = old;
      last = chunk.back();
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
    const std::string sealed = record::seal(key, payload);
    MDB_val key_val = lmdb::to_val(key);
    MDB_val value = lmdb::to_val(sealed);
    if (const int code = mdb_put(txn, table, &key_val, &value, 0); code != 0) return code;
  }
  return 0;
}

Result<Entry> decode(std::string_view key, std::string_view value) {
  if (key.size() < 2 + kPositionBytes || (key[0] != 'c' && key[0] != 't') ||
      key[key.size() - kPositionBytes - 1] != '\0') {
    return make_error(Errc::kCorruption,
                      "index posting with an invalid key '" + record::printable(key) + "'");
  }
  CAIRN_TRY(Chunk chunk, decode_chunk(key, value));
  const std::string_view name = key.substr(1, key.size() - kPositionBytes - 2);
  return Entry{{static_cast<PostingTerm::Kind>(key[0]), std::string(name)}, std::move(chunk)};
}

}  // namespace cairn::postings

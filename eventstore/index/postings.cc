#include "eventstore/index/postings.h"

#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn::postings {
namespace {

constexpr std::size_t kPositionBytes = 8;

std::string prefix_of(const TermView& term) {
  std::string key(1, static_cast<char>(term.kind));
  key += term.bytes;
  key += '\0';
  return key;
}

std::string key_of(const std::string& prefix, std::uint64_t first) {
  std::string key = prefix;
  key.resize(key.size() + kPositionBytes);
  store_be64(key.data() + prefix.size(), first);
  return key;
}

Result<PositionChunk> decode_chunk(std::string_view key, std::string_view value) {
  CAIRN_TRY(std::string_view payload, record::unseal(key, value));
  PositionChunk chunk{load_be64(key.data() + key.size() - kPositionBytes)};
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

Result<std::optional<PositionChunk>> decode_if_of(const std::string& prefix,
                                                  const std::optional<lmdb::Record>& found) {
  if (!found || !is_of(prefix, found->key)) return std::optional<PositionChunk>();
  CAIRN_TRY(PositionChunk chunk, decode_chunk(found->key, found->value));
  return std::optional(std::move(chunk));
}

}  // namespace

Result<std::optional<PositionChunk>> chunk_at(const lmdb::ReadTxn& txn, MDB_dbi table, const TermView& term,
                                              std::uint64_t position) {
  const std::string prefix = prefix_of(term);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(const auto found, cursor.at_or_before(key_of(prefix, position)));
  return decode_if_of(prefix, found);
}

Result<std::optional<PositionChunk>> chunk_after(const lmdb::ReadTxn& txn, MDB_dbi table,
                                                 const TermView& term, std::uint64_t position) {
  if (position == ~std::uint64_t{0}) return std::optional<PositionChunk>();
  const std::string prefix = prefix_of(term);
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(const auto found, cursor.at_or_after(key_of(prefix, position + 1)));
  return decode_if_of(prefix, found);
}

Result<Entry> decode(std::string_view key, std::string_view value) {
  if (key.size() < 2 + kPositionBytes || (key[0] != 'c' && key[0] != 't') ||
      key[key.size() - kPositionBytes - 1] != '\0') {
    return make_error(Errc::kCorruption,
                      "index posting with an invalid key '" + record::printable(key) + "'");
  }
  CAIRN_TRY(PositionChunk chunk, decode_chunk(key, value));
  const std::string_view name = key.substr(1, key.size() - kPositionBytes - 2);
  return Entry{{static_cast<TermKind>(key[0]), std::string(name)}, std::move(chunk)};
}

}  // namespace cairn::postings

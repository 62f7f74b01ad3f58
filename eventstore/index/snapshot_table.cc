#include "eventstore/index/snapshot_table.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "eventstore/base/endian.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/sealed.h"
#include "eventstore/lmdb/cursor.h"

namespace cairn::snapshots {
namespace {

constexpr std::size_t kVersionBytes = 8;
constexpr std::size_t kSuffixBytes = 1 + kVersionBytes;
constexpr std::uint64_t kLastVersion = std::numeric_limits<std::uint64_t>::max();

// LMDB does not take longer keys, and a zero byte in a name would make keys ambiguous.
bool can_be_stream(std::string_view name) {
  return !name.empty() && name.size() <= limits::kStreamNameBytesMax &&
         name.find('\0') == std::string_view::npos;
}

std::string key_of(std::string_view stream, std::uint64_t version) {
  std::string key(stream);
  key.resize(stream.size() + kSuffixBytes, '\0');
  store_be64(key.data() + stream.size() + 1, version);
  return key;
}

struct ReadKey {
  std::string_view stream;
  std::uint64_t version = 0;
};

// nullopt for an invalid key.
std::optional<ReadKey> read_key(std::string_view key) {
  if (key.size() <= kSuffixBytes) return std::nullopt;
  const std::string_view stream = key.substr(0, key.size() - kSuffixBytes);
  if (key[stream.size()] != '\0') return std::nullopt;
  return ReadKey{stream, load_be64(key.data() + stream.size() + 1)};
}

bool is_of(const std::optional<lmdb::Record>& record, std::string_view stream) {
  const auto key = record ? read_key(record->key) : std::nullopt;
  return key && key->stream == stream;
}

}  // namespace

Status check(const SnapshotRecord& snapshot) {
  if (!can_be_stream(snapshot.stream)) {
    return make_error(Errc::kInvalidArgument,
                      "'" + record::printable(snapshot.stream) + "' cannot be the name of a stream");
  }
  if (snapshot.version.value == 0) {
    return make_error(Errc::kInvalidArgument, "a snapshot of '" + snapshot.stream + "' has version 0");
  }
  if (snapshot.bytes.size() > limits::kSnapshotBytesMax) {
    Error error = make_error(Errc::kTooLarge,
                             fmt::format("a snapshot of '{}' has {} bytes; the limit is {}", snapshot.stream,
                                         snapshot.bytes.size(), limits::kSnapshotBytesMax));
    error.limit = limits::kSnapshotBytesMax;
    return error;
  }
  return {};
}

int put(MDB_txn* txn, MDB_dbi table, const SnapshotRecord& snapshot) {
  const std::string key = key_of(snapshot.stream, snapshot.version.value);
  const std::string sealed = record::seal(key, snapshot.bytes);
  MDB_val key_val = lmdb::to_val(key);
  MDB_val value = lmdb::to_val(sealed);
  return mdb_put(txn, table, &key_val, &value, 0);
}

int drop(MDB_txn* txn, MDB_dbi table, const SnapshotKey& key) {
  if (!can_be_stream(key.stream)) return 0;
  const std::string bytes = key_of(key.stream, key.version.value);
  MDB_val key_val = lmdb::to_val(bytes);
  const int code = mdb_del(txn, table, &key_val, nullptr);
  return code == MDB_NOTFOUND ? 0 : code;
}

Result<int> prune(MDB_txn* txn, MDB_dbi table, std::string_view stream, std::uint64_t keep,
                  std::uint64_t& dropped) {
  dropped = 0;
  if (!can_be_stream(stream)) return 0;
  std::vector<StreamVersion> versions;
  {
    CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
    CAIRN_TRY(auto found, cursor.at_or_after(key_of(stream, 0)));
    while (is_of(found, stream)) {
      versions.push_back({read_key(found->key)->version});
      CAIRN_TRY(found, cursor.next());
    }
  }
  const std::uint64_t kept = std::min<std::uint64_t>(keep, versions.size());
  versions.resize(versions.size() - kept);
  for (const StreamVersion version : versions) {
    if (const int code = drop(txn, table, {std::string(stream), version}); code != 0) return code;
  }
  dropped = versions.size();
  return 0;
}

Result<SnapshotSearch> find(const lmdb::ReadTxn& txn, MDB_dbi table, std::string_view stream,
                            StreamVersion at_most) {
  SnapshotSearch search;
  if (!can_be_stream(stream)) return search;
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(auto found, cursor.at_or_before(key_of(stream, at_most.value)));
  while (is_of(found, stream)) {
    const StreamVersion version{read_key(found->key)->version};
    if (const auto bytes = record::unseal(found->key, found->value)) {
      search.newest = SnapshotRecord{std::string(stream), version, std::string(*bytes)};
      return search;
    }
    search.damaged.push_back(version);
    CAIRN_TRY(found, cursor.previous());
  }
  return search;
}

Result<std::vector<SnapshotInfo>> list(const lmdb::ReadTxn& txn, MDB_dbi table, std::string_view stream) {
  std::vector<SnapshotInfo> snapshots;
  if (!can_be_stream(stream)) return snapshots;
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  CAIRN_TRY(auto found, cursor.at_or_after(key_of(stream, 0)));
  while (is_of(found, stream)) {
    const auto bytes = record::unseal(found->key, found->value);
    snapshots.push_back(
        {{read_key(found->key)->version}, bytes ? bytes->size() : found->value.size(), !bytes.ok()});
    CAIRN_TRY(found, cursor.next());
  }
  return snapshots;
}

Result<SnapshotStreams> list_streams(const lmdb::ReadTxn& txn, MDB_dbi table,
                                     const SnapshotStreamsQuery& query) {
  SnapshotStreams page;
  if (query.category.size() > limits::kStreamNameBytesMax) return page;
  CAIRN_TRY(lmdb::Cursor cursor, lmdb::Cursor::open(txn, table));
  // Start after all snapshots of `after`. A truncated name still sorts after every name that the whole one
  // sorts after.
  const std::string after =
      query.after.empty()
          ? std::string()
          : key_of(std::string_view(query.after).substr(0, limits::kStreamNameBytesMax + 1), kLastVersion);
  const std::string& start = std::max(after, query.category);
  CAIRN_TRY(auto found, start.empty() ? cursor.first() : cursor.at_or_after(start));
  for (; found && found->key.starts_with(query.category);) {
    const auto key = read_key(found->key);
    const bool wanted = key && key->stream > query.after &&
                        (query.category.empty() || category_of(key->stream) == query.category);
    if (wanted) {
      if (page.streams.empty() || page.streams.back().stream != key->stream) {
        if (page.streams.size() == query.limit) {
          page.next = page.streams.empty() ? query.after : page.streams.back().stream;
          return page;
        }
        page.streams.push_back({.stream = std::string(key->stream)});
      }
      SnapshotStream& stream = page.streams.back();
      ++stream.snapshots;
      stream.newest = {key->version};
      stream.bytes += found->value.size();
    }
    CAIRN_TRY(found, cursor.next());
  }
  return page;
}

}  // namespace cairn::snapshots

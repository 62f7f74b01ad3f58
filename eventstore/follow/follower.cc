#include "eventstore/follow/follower.h"

#include <string>
#include <utility>

#include "eventstore/follow/filtered_page.h"
#include "eventstore/read/pages.h"

namespace cairn {
namespace {

constexpr int kLooksAtEndMax = 100;

Error not_of_this_index(const std::string& what) {
  return make_error(Errc::kCorruption, "the log is not the one its index was made from: " + what);
}

}  // namespace

Result<std::unique_ptr<Follower>> Follower::open(const std::filesystem::path& folder, FollowOptions options) {
  CAIRN_TRY(DataFolder store, DataFolder::inspect(folder));
  std::unique_ptr<Follower> follower(new Follower(std::move(store), std::move(options)));
  CAIRN_CHECK(follower->start());
  return follower;
}

Status Follower::start() {
  CAIRN_TRY(identity_, WatchedFile::at(folder_.path() / "cairn.json"));
  CAIRN_TRY(log_,
            FollowedLog::open(folder_.log(), folder_.store_id(),
                              {.map_bytes = options_.log_map_bytes, .readers_max = options_.readers_max}));
  // The index is read after the log's end and before the first look, which so finds all that the index knows.
  const IndexState index = system_.begin(folder_.index(), folder_.store_id());
  CAIRN_CHECK(read_after_index(index));
  const GlobalPosition known = std::max(index.through, system_.last_position());
  for (int looks = 0; looks < kLooksAtEndMax && (looks == 0 || log_->end().last_position < known); ++looks)
    CAIRN_CHECK(look(FollowedLog::LastBlock::kTake));
  if (log_->end().last_position < known) {
    return not_of_this_index("it ends at position " + std::to_string(log_->end().last_position.value) +
                             ", and the index has seen " + std::to_string(known.value));
  }
  looker_ = std::thread([this] { run(); });
  return {};
}

// What LMDB has beyond the index. Where the index knows more, the first look brings the rest.
Status Follower::read_after_index(const IndexState& index) {
  const LogEnd& end = log_->end();
  if (index.through > end.last_position || end.last_position.value == 0) return {};
  Sha256 hash = index.through.value > 0 ? index.hash : chain_anchor(folder_.store_id());
  const BlockVisitor take = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    if (block.header().previous_hash != hash) {
      return not_of_this_index("block " + std::to_string(block.header().first_position.value) +
                               " does not continue it");
    }
    hash = sha256(bytes);
    CAIRN_CHECK(system_.take(block));
    return true;
  };
  CAIRN_CHECK(scan_blocks(*log_, {index.through.value + 1}, end.last_position, take));
  if (hash != end.hash) return not_of_this_index("they differ at " + std::to_string(index.through.value));
  return {};
}

Follower::~Follower() {
  if (!looker_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  looker_.join();
}

void Follower::run() {
  bool told = false;  // of a failure that may pass
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, options_.look_every, [this] { return stopping_; })) {
    lock.unlock();
    const Status looked = look(FollowedLog::LastBlock::kMayWait);
    lock.lock();
    if (looked.ok()) {
      told = false;
      continue;
    }
    const bool fatal = looked.error().code == Errc::kCorruption;
    if (fatal) failure_ = looked.error();
    const auto& tell = fatal ? options_.on_fatal : options_.on_notice;
    if (tell && !told) {
      told = true;
      lock.unlock();
      tell(looked.error().message);
      lock.lock();
    }
    if (fatal) return;
  }
}

Status Follower::look(FollowedLog::LastBlock last) {
  CAIRN_CHECK(check_identity());
  const Status looked = log_->look(last, [this](BlockReader& block, std::span<const std::byte>) {
    const Status taken = system_.take(block);
    return taken.ok() ? Result<bool>(true) : Result<bool>(taken.error());
  });
  const LogEnd& end = log_->end();
  {
    std::lock_guard lock(mutex_);
    head_hash_ = to_hex(end.hash);
  }
  if (end.last_position > news_.head()) news_.publish(end.last_position);
  return looked;
}

Status Follower::check_identity() {
  CAIRN_TRY(const bool touched, identity_->touched());
  if (!touched) return {};
  CAIRN_TRY(const DataFolder now, DataFolder::inspect(folder_.path()));
  if (now.store_id() == folder_.store_id()) return {};
  return make_error(Errc::kCorruption, folder_.path().string() + " holds another store now: " +
                                           now.store_id().to_string() + ", and was " + store_id());
}

Status Follower::sound() const {
  std::lock_guard lock(mutex_);
  return failure_ ? Status(*failure_) : Status();
}

Result<StreamPage> Follower::read_stream(std::string_view stream, const StreamQuery& query) {
  CAIRN_CHECK(sound());
  CAIRN_CHECK(check_page_limit(query.limit));
  CAIRN_CHECK(check_system(stream));
  const auto head = system_.find(stream);
  if (!head) return no_such_stream(stream);
  return read_stream_page(*log_, stream, *head, query);
}

Result<std::optional<StreamInfo>> Follower::stream_info(std::string_view stream) {
  CAIRN_CHECK(sound());
  CAIRN_CHECK(check_system(stream));
  const auto head = system_.find(stream);
  return head ? std::optional(stream_info_of(stream, *head)) : std::nullopt;
}

Result<StreamList> Follower::list_streams(const StreamListQuery& query) {
  CAIRN_CHECK(sound());
  CAIRN_CHECK(check_page_limit(query.limit));
  CAIRN_CHECK(check_system(query.category.empty() ? query.prefix : query.category));
  const auto found = system_.list(query.after, query.limit + 1, [&](std::string_view name) {
    return name.starts_with(query.prefix) && (query.category.empty() || category_of(name) == query.category);
  });
  StreamList list;
  for (const auto& [name, head] : found) {
    if (list.streams.size() == query.limit) {
      list.next = list.streams.back().stream;
      break;
    }
    list.streams.push_back(stream_info_of(name, head));
  }
  return list;
}

Result<LogPage> Follower::read_log(const LogQuery& query) {
  CAIRN_CHECK(sound());
  CAIRN_CHECK(check_page_limit(query.limit));
  if (query.filter.matches_all()) return read_log_page(*log_, query, head());
  return read_filtered_page(*log_, query, head());
}

Result<GlobalPosition> Follower::scan(const ScanQuery& query, const EventVisitor& visitor) {
  CAIRN_CHECK(sound());
  return scan_events(*log_, query, head(), visitor);
}

std::string Follower::head_hash() const {
  std::lock_guard lock(mutex_);
  return head_hash_;
}

StoreStats Follower::stats() const {
  StoreStats stats;
  stats.log_bytes = log_->used_bytes();
  stats.readers = log_->open_readers();
  return stats;
}

Error Follower::reads_only() const {
  return make_error(Errc::kFailedPrecondition, "this process only reads the store in " +
                                                   folder_.path().string() + "; ask the server that has it");
}

Status Follower::check_system(std::string_view stream) const {
  if (is_system_stream(stream)) return {};
  return make_error(Errc::kFailedPrecondition,
                    "this process only follows the log in " + folder_.path().string() +
                        " and Cairn's own streams; ask the server for '" + std::string(stream) + "'");
}

Result<AppendResult> Follower::append(AppendRequest) { return reads_only(); }
void Follower::append_async(AppendRequest, AppendCallback done) { done(reads_only()); }

Status Follower::put_snapshots(std::span<const SnapshotRecord>, std::span<const SnapshotKey>) {
  return reads_only();
}
Result<SnapshotSearch> Follower::find_snapshot(std::string_view, StreamVersion) { return reads_only(); }
Result<std::vector<SnapshotInfo>> Follower::list_snapshots(std::string_view) { return reads_only(); }
Result<SnapshotStreams> Follower::list_snapshot_streams(const SnapshotStreamsQuery&) { return reads_only(); }
Result<std::uint64_t> Follower::prune_snapshots(std::string_view, std::uint64_t) { return reads_only(); }

}  // namespace cairn

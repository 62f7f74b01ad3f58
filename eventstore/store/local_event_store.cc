#include "eventstore/event_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eventstore/append/appender.h"
#include "eventstore/base/limits.h"
#include "eventstore/base/mutex.h"
#include "eventstore/follow/follower.h"
#include "eventstore/index/flusher.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/lmdb/file_check.h"
#include "eventstore/log/head_signal.h"
#include "eventstore/log/lmdb_block_log.h"
#include "eventstore/read/pages.h"
#include "eventstore/read/reader.h"
#include "eventstore/recovery/data_folder.h"
#include "eventstore/recovery/index_fill.h"
#include "eventstore/recovery/rebuild_log.h"
#include "eventstore/recovery/recovery.h"

namespace cairn {
namespace {

Result<SchemaRevision> revision_of(const Tail& tail, const Index& index) {
  SchemaRevision revision;
  StreamHeads heads(tail, index);
  for (const std::string_view stream : {kSchemaStream, kDefinitionStream}) {
    StreamHead head;
    CAIRN_CHECK(heads.find(HashedName(stream), head));
    revision.value += head.version.value;
  }
  return revision;
}

// A condition is stale when the tail was flushed twice while the request was in the queue.
constexpr int kVerifiedRoundsMax = 8;

// A store in a local folder. Its members are in the order in which they depend on each other.
class LocalEventStore final : public EventStore {
 public:
  LocalEventStore(DataFolder folder, StoreOptions options)
      : options_(std::move(options)), folder_(std::move(folder)), id_window_(options_.dedup_window_days) {}
  ~LocalEventStore() override { close(); }

  Status start() {
    const LmdbBlockLogOptions log_options{.map_bytes = options_.log_map_bytes,
                                          .journal_bytes = options_.journal_bytes,
                                          .format = format(),
                                          .readers_max = options_.readers_max};
    if (!folder_.is_store()) CAIRN_CHECK(LmdbBlockLog::create(folder_.log(), log_options));
    CAIRN_TRY(log_, LmdbBlockLog::open(folder_.log(), log_options));
    CAIRN_CHECK(open_index());
    add_recent_days(*log_, id_window_);
    index_fill_.emplace(*log_, *index_);
    flusher_.emplace(*index_, tail_, folder_.store_id(),
                     Flusher::Options{.flush_at = flush_at(),
                                      .max = {options_.tail_events_flush * 3, options_.tail_bytes_max},
                                      .first_id_day = [this] { return first_id_day(); },
                                      .on_log = options_.on_log,
                                      .clock = options_.clock,
                                      .on_fatal = options_.on_fatal,
                                      .each_minute = [this] { tidy(); },
                                      .idle_step = [this] { return tidy_index(); }});
    auto recovered = recover(*log_, *index_, tail_, folder_.store_id(), [this](GlobalPosition through) {
      rebuild_log_.progress(through);
      return flusher_->make_room();
    });
    if (!recovered.ok()) {
      Error error = std::move(recovered).error();
      error.message = folder_.path().string() + ": " + error.message;
      return error;
    }
    rebuild_log_.end();
    const LogEnd end = *recovered;
    CAIRN_CHECK(folder_.seal());
    news_.publish(end.last_position);
    CAIRN_TRY(const SchemaRevision revision, revision_of(tail_, *index_));
    appender_.emplace(Appender::Parts{*log_, tail_, *index_, news_, id_window_, folder_.store_id(),
                                      folder_.id_key(), format(), revision},
                      options_, end,
                      Appender::Hooks{.make_room = [this] { return flusher_->make_room(); },
                                      .before_write = [this] { return raise_format(); },
                                      .add_free_room = [this](LogEvent& event) { add_free_room(event); }});
    reader_.emplace(*log_, tail_, *index_, news_);
    return {};
  }

  Result<AppendResult> append(AppendRequest request) override {
    if (!request.checks.condition) return appender_->append(request);
    return append_verified(request, *request.checks.condition);
  }
  Status verify(AppendCondition& condition, WorkBudget* budget) override {
    return reader_->verify(condition, budget);
  }
  bool verify_in_memory(AppendCondition& condition) override { return reader_->verify_in_memory(condition); }
  void append_async(AppendRequest request, AppendCallback done) override {
    appender_->append_async(std::make_unique<AsyncAppend>(std::move(request), std::move(done)));
  }
  void append_async(std::shared_ptr<const AppendRequest> request, AppendCallback done) override {
    appender_->append_async(std::make_unique<AsyncAppend>(std::move(request), std::move(done)));
  }

  Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) override {
    return reader_->read_stream(stream, query);
  }
  Result<LogPage> read_log(const LogQuery& query) override { return reader_->read_log(query); }
  Result<GlobalPosition> first_recorded_at(Timestamp time) override {
    return reader_->first_recorded_at(time);
  }
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) override {
    return reader_->scan(query, visitor);
  }
  Result<CountList> count_terms(const CountQuery& query) override { return reader_->count_terms(query); }
  IndexProgress index_progress() const override { return index_->progress(); }
  Result<StreamPage> read_system_stream(std::string_view stream, const StreamQuery& query) override {
    CAIRN_CHECK(check_system_stream(stream));
    return reader_->read_stream(stream, query);
  }
  Result<std::optional<StreamInfo>> system_stream_info(std::string_view stream) override {
    CAIRN_CHECK(check_system_stream(stream));
    return reader_->stream_info(stream);
  }
  Result<std::optional<StreamInfo>> stream_info(std::string_view stream) override {
    return reader_->stream_info(stream);
  }
  Result<StreamList> list_streams(const StreamListQuery& query) override {
    return reader_->list_streams(query);
  }

  GlobalPosition head() const override { return news_.head(); }
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) override {
    return news_.wait_for(position, timeout);
  }
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) override {
    return news_.notify_at(position, std::move(ready));
  }
  void cancel_notify(std::uint64_t ticket) override { news_.cancel(ticket); }

  Status flush_index() override { return flusher_->flush(); }

  Status put_snapshots(std::span<const SnapshotRecord> snapshots,
                       std::span<const SnapshotKey> drop) override {
    return index_->put_snapshots(snapshots, drop);
  }
  Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) override {
    CAIRN_TRY(const IndexReader reader, index_->read());
    return reader.find_snapshot(stream, at_most);
  }
  Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) override {
    CAIRN_TRY(const IndexReader reader, index_->read());
    return reader.list_snapshots(stream);
  }
  Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) override {
    CAIRN_TRY(const IndexReader reader, index_->read());
    return reader.list_snapshot_streams(query);
  }
  Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep) override {
    return index_->prune_snapshots(stream, keep);
  }

  Result<std::uint64_t> claim_epoch() override {
    if (!appender_->has_written()) {
      AppendRequest opening;
      opening.origin = Origin::kSystem;
      opening.notes = {{.kind = Note::kOpening, .required = false, .bytes = {}}};
      CAIRN_CHECK(append(std::move(opening)));
    }
    return appender_->epoch();
  }

  Result<std::string> history_id() override {
    const MutexLock lock(identity_mutex_);
    CAIRN_TRY(const Uuid id, folder_.history_id());
    return id.to_string();
  }

  std::string head_hash() const override { return to_hex(appender_->head_hash()); }
  std::string store_id() const override { return folder_.store_id().to_string(); }

  StoreStats stats() const override {
    const AppendCounters& counters = appender_->counters();
    const TailSize tail = tail_.sizes().all;
    return {.appends = counters.appends,
            .already_applied = counters.already_applied,
            .conflicts = counters.conflicts,
            .refused = counters.refused,
            .events = counters.events,
            .commits = counters.commits,
            .block_bytes = counters.block_bytes,
            .commit_micros = counters.commit_micros,
            .flushes = flusher_->flushes(),
            .queue_requests = appender_->queued(),
            .tail_events = tail.events,
            .tail_bytes = tail.bytes,
            .log_bytes = log_->used_bytes(),
            .index_bytes = index_->used_bytes(),
            .readers = log_->open_readers() + index_->open_readers()};
  }

 private:
  // Verifies the condition of the request where that was not done, and again when it has become stale.
  Result<AppendResult> append_verified(const AppendRequest& request, AppendCondition& condition) {
    const bool was_verified = condition.verified_through || condition.in_the_way;
    for (int round = 0;; ++round) {
      if (!was_verified || round > 0) CAIRN_CHECK(reader_->verify(condition, nullptr));
      auto result = appender_->append(request);
      if (result.ok() || result.error().check != AppendCheck::kCondition || was_verified) return result;
      if (result.error().code == Errc::kStale && round < kVerifiedRoundsMax) continue;
      if (result.error().code == Errc::kConditionFailed && !condition.in_the_way) {
        // The writer thread has found it in memory, without its stream and type.
        if (reader_->verify(condition, nullptr).ok() && condition.in_the_way) return *condition.in_the_way;
      }
      return result;
    }
  }

  // The index is built from the log: where there is none, or a file that is too short to be one, it is built
  // again, with a notice.
  Status open_index() {
    const std::filesystem::path file = folder_.index() / "data.mdb";
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    const bool unfinished = !error && bytes < lmdb::kFileBytesMin;
    const bool missing = error || unfinished;
    if (unfinished) std::filesystem::remove(file, error);
    CAIRN_CHECK(make_folder(folder_.index()));
    auto opened = Index::open(folder_.index(),
                              {.map_bytes = options_.index_map_bytes, .readers_max = options_.readers_max});
    if (!opened.ok()) return with_advice(std::move(opened).error());
    index_ = *std::move(opened);
    CAIRN_TRY(const auto cursor, log_->cursor());
    CAIRN_TRY(const auto last, cursor->last());
    if (missing && last) {
      const auto header = BlockHeader::read(last->bytes);  // recover() reports a damaged one
      rebuild_log_.begin("There is no index in " + folder_.index().string() + "; it is built from the log",
                         {0}, header.ok() ? header->last_position() : last->first_position);
    }
    return {};
  }

  Error with_advice(Error error) const {
    if (error.code == Errc::kCorruption) {
      error.message += ". The index is built from the log: with no server running, remove the folder " +
                       folder_.index().string() + " and start again";
    }
    return error;
  }

  // On cairn-flush, between flushes.
  Result<bool> tidy_index() {
    CAIRN_TRY(const bool more, index_->tidy());
    if (more) return true;
    const IndexProgress before = index_->progress();
    if (!before.complete() && !fill_log_.is_running()) {
      fill_log_.begin("The index in " + folder_.index().string() +
                          " is of version 0.1; what it lacks is added while the store is in use",
                      before.done, before.total);
    }
    const auto filled = index_fill_->step();
    if (filled.ok()) {
      const IndexProgress now = index_->progress();
      now.complete() ? fill_log_.end() : fill_log_.progress(now.done);
    }
    return filled;
  }

  void add_free_room(LogEvent& event) const {
    std::error_code error;
    const auto room = std::filesystem::space(folder_.path(), error);
    if (error) return;
    event.message += fmt::format("; {} bytes are free in {}", room.available, folder_.path().string());
    event.add("freeBytes", room.available);
    event.add("folder", folder_.path().string());
  }

  // A log that has blocks of a newer format does not go back to an older one.
  LogFormat format() const { return std::max(options_.log_format, folder_.format()); }

  // Called by the writer thread.
  Status raise_format() {
    if (!format_raised_) {
      const MutexLock lock(identity_mutex_);
      CAIRN_CHECK(folder_.raise_format(format()));
      CAIRN_CHECK(log_->raise_format(format()));
      format_raised_ = true;
    }
    return {};
  }

  TailSize flush_at() const { return {options_.tail_events_flush, options_.tail_bytes_max / 4}; }

  std::uint32_t first_id_day() const { return id_window_.first_day(options_.clock()); }

  void tidy() {
    log_->clear_dead_readers();
    index_->clear_dead_readers();
  }

  void close() {
    if (!appender_) return;
    appender_.reset();
    if (const Status flushed = flusher_->flush(); !flushed.ok()) {
      log_to(
          options_.on_log,
          LogEvent(LogLevel::kWarning, "closed-without-flush",
                   "The store is closed without a flushed index, and the next start reads more of the log: " +
                       flushed.error().message)
              .with("error", flushed.error().message));
    }
    flusher_.reset();
  }

  const StoreOptions options_;
  DataFolder folder_;
  Mutex identity_mutex_;        // held while cairn.json is replaced
  bool format_raised_ = false;  // the writer thread's
  std::unique_ptr<LmdbBlockLog> log_;
  std::unique_ptr<Index> index_;
  Tail tail_;
  IdWindow id_window_;
  RebuildLog rebuild_log_{options_.on_log, options_.clock};
  RebuildLog fill_log_{options_.on_log, options_.clock};  // cairn-flush's
  std::optional<IndexFill> index_fill_;
  HeadSignal news_;
  std::optional<Flusher> flusher_;
  std::optional<Appender> appender_;
  std::optional<Reader> reader_;
};

}  // namespace

Result<std::unique_ptr<EventStore>> EventStore::open(const std::filesystem::path& folder,
                                                     StoreOptions options) {
  try {
    CAIRN_TRY(DataFolder claimed, DataFolder::claim(folder, options.create, options.log_format));
    auto store = std::make_unique<LocalEventStore>(std::move(claimed), std::move(options));
    CAIRN_CHECK(store->start());
    return std::unique_ptr<EventStore>(std::move(store));
  } catch (const std::filesystem::filesystem_error& error) {
    // A disk that fails to say whether a file exists.
    return system_error("looking at " + error.path1().string(), error.code().value());
  }
}

Result<std::unique_ptr<LogReader>> LogReader::open_beside(const std::filesystem::path& folder,
                                                          FollowOptions options) {
  CAIRN_TRY(auto follower, Follower::open(folder, std::move(options)));
  return std::unique_ptr<LogReader>(std::move(follower));
}

}  // namespace cairn

#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "eventstore/event_store.h"
#include "eventstore/follow/followed_log.h"
#include "eventstore/follow/system_streams.h"
#include "eventstore/follow/watched_file.h"
#include "eventstore/log/news_board.h"
#include "eventstore/recovery/data_folder.h"

namespace cairn {

// A store that is read beside the process that has it; see EventStore::open_beside(). A thread of its own
// looks at the files again and again and tells the news; everything else is read by whoever asks.
class Follower final : public EventStore {
 public:
  static Result<std::unique_ptr<Follower>> open(const std::filesystem::path& folder, FollowOptions options);
  ~Follower() override;

  Result<AppendResult> append(AppendRequest request) override;
  void append_async(AppendRequest request, AppendCallback done) override;

  Result<StreamPage> read_stream(std::string_view stream, const StreamQuery& query) override;
  Result<LogPage> read_log(const LogQuery& query) override;
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) override;
  Result<std::optional<StreamInfo>> stream_info(std::string_view stream) override;
  Result<StreamList> list_streams(const StreamListQuery& query) override;

  GlobalPosition head() const override { return news_.head(); }
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) override {
    return news_.wait_for(position, timeout);
  }
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) override {
    return news_.notify_at(position, std::move(ready));
  }
  void cancel_notify(std::uint64_t ticket) override { news_.cancel(ticket); }

  Status flush_index() override { return reads_only(); }
  Status put_snapshots(std::span<const SnapshotRecord> snapshots, std::span<const SnapshotKey> drop) override;
  Result<SnapshotSearch> find_snapshot(std::string_view stream, StreamVersion at_most) override;
  Result<std::vector<SnapshotInfo>> list_snapshots(std::string_view stream) override;
  Result<SnapshotStreams> list_snapshot_streams(const SnapshotStreamsQuery& query) override;
  Result<std::uint64_t> prune_snapshots(std::string_view stream, std::uint64_t keep) override;

  std::string head_hash() const override;
  std::string store_id() const override { return folder_.store_id().to_string(); }
  StoreStats stats() const override;

 private:
  Follower(DataFolder folder, FollowOptions options)
      : options_(std::move(options)), folder_(std::move(folder)) {}
  Status start();
  Status read_after_index(const IndexState& index);
  Status check_identity();
  Status look(FollowedLog::LastBlock last);
  void run();

  Error reads_only() const;
  Status check_system(std::string_view stream) const;
  Status sound() const;  // the reason there is nothing to read any more, if there is one

  const FollowOptions options_;
  DataFolder folder_;
  std::optional<WatchedFile> identity_;
  std::unique_ptr<FollowedLog> log_;
  SystemStreams system_;
  NewsBoard news_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string head_hash_;
  std::optional<Error> failure_;
  bool stopping_ = false;
  std::thread looker_;
};

}  // namespace cairn

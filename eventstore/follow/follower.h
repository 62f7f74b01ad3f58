#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "eventstore/follow/followed_log.h"
#include "eventstore/follow/system_streams.h"
#include "eventstore/follow/watched_file.h"
#include "eventstore/log/head_signal.h"
#include "eventstore/log_reader.h"
#include "eventstore/recovery/data_folder.h"

namespace cairn {

// Reads a store beside the process that has it open; see LogReader::open_beside(). One thread
// ("cairn-follow") polls the files and publishes the head; every other read runs on the caller's thread.
class Follower final : public LogReader {
 public:
  static Result<std::unique_ptr<Follower>> open(const std::filesystem::path& folder, FollowOptions options);

  Result<LogPage> read_log(const LogQuery& query) override;
  Result<GlobalPosition> first_recorded_at(Timestamp time) override;
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) override;
  Result<StreamPage> read_system_stream(std::string_view stream, const StreamQuery& query) override;
  Result<std::optional<StreamInfo>> system_stream_info(std::string_view stream) override;

  GlobalPosition head() const override { return news_.head(); }
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) override {
    return news_.wait_for(position, timeout);
  }
  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) override {
    return news_.notify_at(position, std::move(ready));
  }
  void cancel_notify(std::uint64_t ticket) override { news_.cancel(ticket); }

  std::string head_hash() const override CAIRN_EXCLUDES(mutex_);
  std::string store_id() const override { return folder_.store_id().to_string(); }

 private:
  Follower(DataFolder folder, FollowOptions options)
      : options_(std::move(options)), folder_(std::move(folder)) {}
  Status start();
  Status read_after_index(const IndexState& index);
  Status check_identity();
  Status poll(FollowedLog::LastBlock last) CAIRN_EXCLUDES(mutex_);
  void run(const std::stop_token& stop) CAIRN_EXCLUDES(mutex_);

  // The error that ended the follower, if there is one.
  Status check_usable() const CAIRN_EXCLUDES(mutex_);

  const FollowOptions options_;
  DataFolder folder_;
  std::optional<WatchedFile> identity_;
  std::unique_ptr<FollowedLog> log_;
  SystemStreams system_;
  HeadSignal news_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::string head_hash_ CAIRN_GUARDED_BY(mutex_);
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // last: it uses the others
};

}  // namespace cairn

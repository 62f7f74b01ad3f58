#include "eventstore/follow/follower.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "eventstore/base/log_throttle.h"
#include "eventstore/read/filtered_page.h"
#include "eventstore/read/pages.h"

namespace cairn {
namespace {

constexpr int kFirstPollsMax = 100;

Error not_of_this_index(const std::string& what) {
  return make_error(Errc::kCorruption, "the log is not the one its index was built from: " + what);
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
  // The index is read after the end of the log and before the first poll, which therefore finds every event
  // that the index has.
  const IndexState index = system_.begin(folder_.index(), folder_.store_id());
  CAIRN_CHECK(read_after_index(index));
  const GlobalPosition known = std::max(index.through, system_.last_position());
  for (int polls = 0; polls < kFirstPollsMax && (polls == 0 || log_->end().last_position < known); ++polls)
    CAIRN_CHECK(poll(FollowedLog::LastBlock::kSync));
  if (log_->end().last_position < known) {
    return not_of_this_index(fmt::format("it ends at position {}, and the index goes to {}",
                                         log_->end().last_position.value, known.value));
  }
  thread_.start({.name = "cairn-follow", .niceness = 0, .wake = wake_all(mutex_, changed_)},
                [this](const std::stop_token& stop) { run(stop); });
  return {};
}

// Reads the blocks that LMDB has beyond the index. Where the index is ahead, the first poll reads the rest.
Status Follower::read_after_index(const IndexState& index) {
  const LogEnd& end = log_->end();
  if (index.through > end.last_position || end.place() == LogPlace{}) return {};
  Sha256 hash = index.through.value > 0 ? index.hash : chain_anchor(folder_.store_id());
  const BlockVisitor take = [&](BlockReader& block, std::span<const std::byte> bytes) -> Result<bool> {
    if (block.header().previous_hash != hash) {
      return not_of_this_index(
          fmt::format("block {} does not continue it", block.header().first_position.value));
    }
    hash = sha256(bytes);
    CAIRN_CHECK(system_.take(block));
    return true;
  };
  CAIRN_CHECK(scan_between(*log_, {index.through, 0}, end.place(), take));
  if (hash != end.hash)
    return not_of_this_index(fmt::format("they differ at position {}", index.through.value));
  return {};
}

// A failure that may pass is logged once a minute; one that ends the follower always.
void Follower::run(const std::stop_token& stop) {
  LogThrottle failures;
  MutexLock lock(mutex_);
  while (!changed_.wait_for(lock, options_.poll_interval, [&] { return stop.stop_requested(); })) {
    lock.unlock();
    const Status polled = poll(FollowedLog::LastBlock::kDefer);
    lock.lock();
    if (polled.ok()) continue;
    // kFailedPrecondition: a newer program writes the log.
    const bool fatal =
        polled.error().code == Errc::kCorruption || polled.error().code == Errc::kFailedPrecondition;
    if (fatal) failure_ = polled.error();
    lock.unlock();
    if (fatal) {
      if (options_.on_fatal) options_.on_fatal(polled.error().message);
    } else if (const auto suppressed = failures.take(system_time())) {
      LogEvent event(LogLevel::kWarning, "log-unreadable",
                     fmt::format("The files of the log cannot be read at the moment; the last position that "
                                 "was read is {}: {}",
                                 head().value, polled.error().message));
      event.add("position", head().value);
      event.add("error", polled.error().message);
      add_suppressed(event, *suppressed);
      log_to(options_.on_log, event);
    }
    lock.lock();
    if (fatal) return;
  }
}

Status Follower::poll(FollowedLog::LastBlock last) {
  CAIRN_CHECK(check_identity());
  const Status polled = log_->poll(last, [this](BlockReader& block, std::span<const std::byte>) {
    const Status taken = system_.take(block);
    return taken.ok() ? Result<bool>(true) : Result<bool>(taken.error());
  });
  const LogEnd& end = log_->end();
  {
    const MutexLock lock(mutex_);
    head_hash_ = to_hex(end.hash);
  }
  if (end.last_position > news_.head()) news_.publish(end.last_position);
  return polled;
}

Status Follower::check_identity() {
  CAIRN_TRY(const bool touched, identity_->touched());
  if (!touched) return {};
  CAIRN_TRY(const DataFolder now, DataFolder::inspect(folder_.path()));
  if (now.store_id() == folder_.store_id()) return {};
  return make_error(Errc::kCorruption,
                    fmt::format("{} holds another store now: {}, and held {}", folder_.path().string(),
                                now.store_id().to_string(), store_id()));
}

Status Follower::check_usable() const {
  const MutexLock lock(mutex_);
  return failure_ ? Status(*failure_) : Status();
}

Result<StreamPage> Follower::read_system_stream(std::string_view stream, const StreamQuery& query) {
  CAIRN_CHECK(check_usable());
  CAIRN_CHECK(check_page_limit(query.limit));
  CAIRN_CHECK(check_system_stream(stream));
  const auto head = system_.find(stream);
  if (!head) return no_such_stream(stream);
  return read_stream_page(*log_, stream, *head, query);
}

Result<std::optional<StreamInfo>> Follower::system_stream_info(std::string_view stream) {
  CAIRN_CHECK(check_usable());
  CAIRN_CHECK(check_system_stream(stream));
  const auto head = system_.find(stream);
  return head ? std::optional(stream_info_of(stream, *head)) : std::nullopt;
}

Result<LogPage> Follower::read_log(const LogQuery& query) {
  CAIRN_CHECK(check_usable());
  CAIRN_CHECK(check_page_limit(query.limit));
  if (selects_all(query)) return read_log_page(*log_, query, head());
  return read_filtered_page(*log_, query, head());
}

Result<GlobalPosition> Follower::first_recorded_at(Timestamp time) {
  CAIRN_CHECK(check_usable());
  return cairn::first_recorded_at(*log_, time, head());
}

Result<GlobalPosition> Follower::scan(const ScanQuery& query, const EventVisitor& visitor) {
  CAIRN_CHECK(check_usable());
  return scan_events(*log_, query, head(), visitor);
}

std::string Follower::head_hash() const {
  const MutexLock lock(mutex_);
  return head_hash_;
}

}  // namespace cairn

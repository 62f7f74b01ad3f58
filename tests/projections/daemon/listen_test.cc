// The daemon's notifications by the log: none is left when the daemon is gone.

#include <future>
#include <mutex>

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

// A log that knows which callbacks are registered with it.
class CountedLog final : public LogReader {
 public:
  explicit CountedLog(LogReader& log) : log_(log) {}

  Result<LogPage> read_log(const LogQuery& query) override { return log_.read_log(query); }
  Result<GlobalPosition> first_recorded_at(Timestamp time) override { return log_.first_recorded_at(time); }
  Result<GlobalPosition> scan(const ScanQuery& query, const EventVisitor& visitor) override {
    return log_.scan(query, visitor);
  }
  Result<StreamPage> read_system_stream(std::string_view stream, const StreamQuery& query) override {
    return log_.read_system_stream(stream, query);
  }
  Result<std::optional<StreamInfo>> system_stream_info(std::string_view stream) override {
    return log_.system_stream_info(stream);
  }
  GlobalPosition head() const override { return log_.head(); }
  bool wait_for(GlobalPosition position, std::chrono::milliseconds timeout) override {
    return log_.wait_for(position, timeout);
  }
  std::string head_hash() const override { return log_.head_hash(); }
  std::string store_id() const override { return log_.store_id(); }

  std::uint64_t notify_at(GlobalPosition position, std::function<void()> ready) override {
    const auto called = std::make_shared<std::atomic<bool>>(false);
    const std::uint64_t ticket = log_.notify_at(position, [called, ready = std::move(ready)] {
      *called = true;
      ready();
    });
    std::size_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      callbacks_[ticket] = called;
      count = ++registered_;
    }
    if (after_register) after_register(count);
    return ticket;
  }
  void cancel_notify(std::uint64_t ticket) override {
    log_.cancel_notify(ticket);
    const std::lock_guard lock(mutex_);
    callbacks_.erase(ticket);
  }

  // Callbacks that were neither called nor cancelled.
  std::size_t outstanding() {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [ticket, called] : callbacks_) count += *called ? 0 : 1;
    return count;
  }

  std::function<void(std::size_t count)> after_register;  // before notify_at() returns

 private:
  LogReader& log_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<std::atomic<bool>>> callbacks_;
  std::size_t registered_ = 0;
};

// An event arrives before the first notify_at() has returned: the callback registers again on another thread.
TEST_F(DaemonTest, NoNotificationOutlivesTheDaemon) {
  CountedLog log(store());
  std::promise<void> second;
  log.after_register = [&](std::size_t count) {
    if (count == 2) second.set_value();
    if (count != 1) return;
    added("order-1", "ada", 1);
    // Long enough for the other thread, if it does not wait for this one. When it does, nothing is proved by
    // waiting longer.
    second.get_future().wait_for(std::chrono::milliseconds(500));
  };
  auto opened = ProjectionDaemon::open(StoreAccess(log), shapes(), folder(), daemon_options());
  ASSERT_THAT(opened, succeeds());
  (*opened)->start();
  opened->reset();
  EXPECT_EQ(log.outstanding(), 0u);
}

}  // namespace
}  // namespace cairn::test

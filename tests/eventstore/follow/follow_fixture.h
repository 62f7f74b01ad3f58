#pragma once

#include <atomic>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/event_store.h"
#include "eventstore/verify.h"
#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/numbered_events.h"
#include "tests/support/reading.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// Reads a followed log in a thread, from the first event to the last, and keeps the events.
class LogReading {
 public:
  explicit LogReading(LogReader& log) : log_(log), thread_([this] { run(); }) {}
  ~LogReading() { stop(); }

  // Reads to the end of the log and stops.
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // After stop(): all events in the order they were read, and the first fault.
  const std::vector<Event>& events() const { return events_; }
  const std::string& fault() const { return fault_; }

 private:
  void run() {
    while (fault_.empty()) {
      if (!log_.wait_for({events_.size() + 1}, std::chrono::milliseconds(20))) {
        if (stopping_) return;
        continue;
      }
      const auto done = log_.scan({.from = {events_.size() + 1}}, [this](const EventView& view) {
        take(owned(view));
        return fault_.empty();
      });
      if (!done.ok()) fault_ = done.error().message;
      if (log_.head() < head_) fault_ = "the head went back";
      head_ = log_.head();
    }
  }

  void take(Event event) {
    if (event.position != events_.size() + 1)
      fault_ = std::to_string(event.position) + " came after " + std::to_string(events_.size());
    if (!is_as_numbered(event)) fault_ = "other bytes at " + std::to_string(event.position);
    events_.push_back(std::move(event));
  }

  LogReader& log_;
  GlobalPosition head_;
  std::vector<Event> events_;
  std::string fault_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

// The acknowledgements that follow_writer_child prints, and the log they imply.
class Acknowledged {
 public:
  // False for a line that is no acknowledgement.
  bool hear(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    std::uint64_t position = 0, number = 0, count = 0;
    words >> kind >> position >> number >> count;
    if (kind != "A") return false;
    for (std::uint64_t i = 0; i < count; ++i) numbers_[position + i] = number + i;
    return true;
  }

  std::uint64_t last() const { return numbers_.empty() ? 0 : numbers_.rbegin()->first; }
  std::size_t count() const { return numbers_.size(); }

  // Fails the test unless every acknowledged event is at its acknowledged position.
  void expect_in(const std::vector<Event>& log) const {
    ASSERT_GE(log.size(), last());
    for (const auto& [position, number] : numbers_)
      ASSERT_EQ(number_of(log[position - 1].id), number) << "at position " << position;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> numbers_;  // by position
};

// Fixture of the follower's tests: writers in other processes, and one follower in this one.
class FollowTest : public ::testing::Test {
 protected:
  explicit FollowTest(Medium medium = Medium::kDisk) : folder_(medium) {}

  struct Writing {
    std::uint64_t journal_bytes = 256u << 10;
    std::uint64_t map_bytes = 64u << 20;
    unsigned writers = 4;
    std::uint64_t appends = 0;  // of each; 0 = until it is stopped
  };

  std::unique_ptr<ChildProcess> launch_writer(const Writing& how) {
    return std::make_unique<ChildProcess>(ChildProcess::Command{
        {test_program("follow_writer_child").string(), folder().string(), std::to_string(cycle_++),
         std::to_string(how.journal_bytes), std::to_string(how.map_bytes), std::to_string(how.writers),
         std::to_string(how.appends)},
        {}});
  }

  // The same, and waits until the store is open.
  std::unique_ptr<ChildProcess> start_writer(const Writing& how) {
    auto child = launch_writer(how);
    const auto line = child->read_line();
    EXPECT_EQ(line.value_or("gone"), "open");
    return child;
  }

  // Reads acknowledgements of `events` more events.
  void hear(ChildProcess& writer, std::size_t events) {
    const std::size_t target = acknowledged_.count() + events;
    while (acknowledged_.count() < target) {
      const auto line = writer.read_line();
      ASSERT_TRUE(line.has_value()) << "the writers ended: " << describe(writer.wait());
      ASSERT_TRUE(acknowledged_.hear(*line)) << *line;
    }
  }

  // Reads all acknowledgements that are left, and keeps the writer's last line ("E HEAD HASH").
  void hear_out(ChildProcess& writer) {
    while (const auto line = writer.read_line()) {
      if (!acknowledged_.hear(*line)) last_word_ = *line;
    }
    writer.wait();
  }
  void stop(ChildProcess& writer) {
    writer.close_input();
    hear_out(writer);
    ASSERT_THAT(last_word_, ::testing::StartsWith("E "));
  }
  void kill(ChildProcess& writer) {
    writer.kill(SIGKILL);
    hear_out(writer);
  }

  void follow(FollowOptions options = {}) {
    options.on_fatal = [this](std::string_view reason) {
      std::lock_guard lock(mutex_);
      fatal_ = reason;
    };
    auto opened = LogReader::open_beside(folder(), options);
    ASSERT_THAT(opened, succeeds());
    follower_ = *std::move(opened);
    reading_ = std::make_unique<LogReading>(*follower_);
  }
  void expect_seen(std::uint64_t position) {
    ASSERT_TRUE(follower_->wait_for({position}, std::chrono::seconds(20)))
        << "seen " << follower_->head().value << " of " << position << " " << fatal();
  }

  // Ends the reading, and compares its events with the acknowledgements and with the store itself.
  void expect_all_read() {
    expect_seen(acknowledged_.last());
    reading_->stop();
    EXPECT_EQ(reading_->fault(), "");
    EXPECT_EQ(fatal(), "");
    acknowledged_.expect_in(reading_->events());
    const std::vector<Event> seen = reading_->events();
    unfollow();
    const auto report = verify_store(folder());
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound()) << report->findings.at(0).place << ": " << report->findings.at(0).what;
    {
      // A killed writer may have left one more block, not acknowledged.
      const auto again = LogReader::open_beside(folder());
      ASSERT_THAT(again, succeeds());
      EXPECT_EQ((*again)->head().value, report->head);
      EXPECT_EQ((*again)->head_hash(), report->head_hash);
    }
    auto store = EventStore::open(folder(), small_store());
    ASSERT_THAT(store, succeeds());
    const auto stored = scan_all(**store);
    ASSERT_THAT(stored, succeeds());
    ASSERT_GE(stored->size(), seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], (*stored)[i]);
  }
  void unfollow() {
    reading_.reset();
    follower_.reset();
  }

  std::string fatal() {
    std::lock_guard lock(mutex_);
    return fatal_;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

  TempFolder folder_;
  std::uint64_t cycle_ = 1;
  Acknowledged acknowledged_;
  std::string last_word_;
  std::mutex mutex_;
  std::string fatal_;
  std::unique_ptr<LogReader> follower_;
  std::unique_ptr<LogReading> reading_;
};

}  // namespace cairn::test

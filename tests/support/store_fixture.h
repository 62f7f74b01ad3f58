#pragma once

#include <initializer_list>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/event_store.h"
#include "eventstore/verify.h"
#include "tests/support/events.h"
#include "tests/support/manual_clock.h"
#include "tests/support/matchers.h"
#include "tests/support/reading.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// Fixture of the event store's tests: a store in a temporary folder, with a manual clock.
class StoreTest : public ::testing::Test {
 protected:
  explicit StoreTest(Medium medium = Medium::kMemory) : folder_(medium) {
    options_ = small_store();
    options_.clock = clock_.function();
    options_.on_log = [this](const LogEvent& event) {
      std::lock_guard lock(logged_mutex_);
      logged_.push_back(event);
    };
  }

  // The store; the first call opens it.
  EventStore& store() {
    if (!store_) open();
    return *store_;
  }

  void open() {
    auto opened = EventStore::open(folder(), options_);
    ASSERT_THAT(opened, succeeds());
    store_ = *std::move(opened);
  }
  Result<std::unique_ptr<EventStore>> try_open() { return EventStore::open(folder(), options_); }
  void close() { store_.reset(); }
  void reopen() {
    close();
    open();
  }
  void flush() { ASSERT_THAT(store().flush_index(), succeeds()); }

  // --- Appends

  Result<AppendResult> submit(AppendRequest request) { return store().append(std::move(request)); }
  Result<AppendResult> submit(std::vector<StreamAppend> streams) {
    return submit(request(std::move(streams)));
  }

  Result<AppendResult> append_expecting(std::string stream, ExpectedVersion expected,
                                        std::vector<NewEvent> events) {
    return submit({to(std::move(stream), expected, std::move(events))});
  }
  Result<AppendResult> append_expecting(std::string stream, std::uint64_t version,
                                        std::vector<NewEvent> events) {
    return append_expecting(std::move(stream), ExpectedVersion::exactly(version), std::move(events));
  }

  // Appends with "any"; the test fails if that fails.
  StreamAppendResult append(std::string stream, std::vector<NewEvent> events) {
    auto result = append_expecting(std::move(stream), ExpectedVersion::any(), std::move(events));
    EXPECT_THAT(result, succeeds());
    if (!result.ok() || result->streams.size() != 1) return {};
    return result->streams[0];
  }
  StreamAppendResult append(std::string stream, std::initializer_list<const char*> types) {
    std::vector<NewEvent> events;
    for (const char* type : types) events.push_back(event(type));
    return append(std::move(stream), std::move(events));
  }

  // --- Reads

  template <typename T>
  static T value_of(Result<T> result) {
    EXPECT_THAT(result, succeeds());
    return result.ok() ? *std::move(result) : T{};
  }

  std::vector<Event> events_in(const std::string& stream, Direction direction = Direction::kForward,
                               std::size_t page = 100) {
    return value_of(read_whole_stream(store(), stream, {std::nullopt, direction, page}));
  }
  std::vector<Event> log(EventFilter filter = {}, Direction direction = Direction::kForward,
                         std::size_t page = 100) {
    return value_of(read_all(store(), {std::nullopt, direction, page, std::move(filter)}));
  }
  static std::vector<std::string> types_of(const std::vector<Event>& events) {
    std::vector<std::string> types;
    for (const Event& event : events) types.push_back(event.type);
    return types;
  }
  static std::vector<std::uint64_t> positions_of(const std::vector<Event>& events) {
    std::vector<std::uint64_t> positions;
    for (const Event& event : events) positions.push_back(event.position);
    return positions;
  }
  std::vector<std::string> types_in(const std::string& stream) { return types_of(events_in(stream)); }
  std::uint64_t version_of(const std::string& stream) {
    auto info = value_of(store().stream_info(stream));
    return info ? info->version.value : 0;
  }
  std::uint64_t head() { return store().head().value; }

  // The lines of the log.
  std::vector<LogEvent> logged() {
    std::lock_guard lock(logged_mutex_);
    return logged_;
  }

  // Closes the store and verifies its files.
  void expect_sound() {
    close();
    auto report = verify_store(folder());
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound()) << report->findings.at(0).place << ": " << report->findings.at(0).what;
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  StoreOptions& options() { return options_; }
  ManualClock& clock() { return clock_; }

 private:
  TempFolder folder_;
  ManualClock clock_;
  StoreOptions options_;
  std::mutex logged_mutex_;
  std::vector<LogEvent> logged_;
  std::unique_ptr<EventStore> store_;
};

// Where the events are when they are read: in the tail, in the index, or recovered by a reopened store.
enum class Settled { kInTail, kReopened, kFlushed, kFlushedAndReopened, kFlushedHalfway };

inline std::string name_of(Settled settled) {
  switch (settled) {
    case Settled::kInTail:
      return "InTail";
    case Settled::kReopened:
      return "Reopened";
    case Settled::kFlushed:
      return "Flushed";
    case Settled::kFlushedAndReopened:
      return "FlushedAndReopened";
    case Settled::kFlushedHalfway:
      return "FlushedHalfway";
  }
  return "?";
}

inline void PrintTo(Settled settled, std::ostream* out) { *out << name_of(settled); }

// A store test that runs once for each place where the events can be.
class SettledStoreTest : public StoreTest, public ::testing::WithParamInterface<Settled> {
 protected:
  // Called between the appends of a test.
  void halfway() {
    if (GetParam() == Settled::kFlushedHalfway) flush();
  }
  // Called between the last append and the first read.
  void settle() {
    switch (GetParam()) {
      case Settled::kInTail:
      case Settled::kFlushedHalfway:
        break;
      case Settled::kReopened:
        reopen();
        break;
      case Settled::kFlushed:
        flush();
        break;
      case Settled::kFlushedAndReopened:
        flush();
        reopen();
        break;
    }
  }
};

#define CAIRN_FOR_EVERY_SETTLED(suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(, suite,                                                                   \
                           ::testing::Values(Settled::kInTail, Settled::kReopened, Settled::kFlushed, \
                                             Settled::kFlushedAndReopened, Settled::kFlushedHalfway), \
                           [](const auto& chosen) { return name_of(chosen.param); })

}  // namespace cairn::test

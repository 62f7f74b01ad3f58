// The sample of README.md for programs that embed the store, compiled and run unchanged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "eventstore/event_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

// clang-format off
void append_and_read() {
auto store = *cairn::EventStore::open("./cairn-data", {});

cairn::AppendRequest request;
request.streams.push_back({.stream = "order-42",
                           .expected = cairn::ExpectedVersion::no_stream(),
                           .events = {{.type = "OrderPlaced", .data = R"({"total": 12})"}}});
auto placed = store->append(std::move(request));      // on disk when it returns
if (!placed.ok()) std::cerr << placed.error().message; // "stream 'order-42' is at version 1, expected 0"

auto page = store->read_stream("order-42", {});
for (const cairn::EventView& event : page->events) std::cout << event.type << ' ' << event.data << '\n';
}
// clang-format on

TEST(StoreInAProgramTest, AppendsReadsAndReportsErrors) {
  const TempFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  append_and_read();
  append_and_read();
  std::filesystem::current_path(before);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "OrderPlaced {\"total\": 12}\nOrderPlaced {\"total\": 12}\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "stream 'order-42' is at version 1, expected 0");
}

}  // namespace
}  // namespace cairn::test

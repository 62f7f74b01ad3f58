#include "tools/cli/serve/line_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <sstream>
#include <string>

#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::cli {
namespace {

using namespace std::chrono_literals;
using test::fails_with;
using test::succeeds;

class LineWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<LineWriter> open(LineWriter::Options options) {
    options.on_dropped = [this](std::uint64_t lines) { dropped_ += lines; };
    auto opened = LineWriter::open(std::move(options));
    EXPECT_THAT(opened, succeeds());
    return *std::move(opened);
  }
  std::string path() const { return (folder_ / "log").string(); }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  test::TempFolder folder_;
  std::atomic<std::uint64_t> dropped_ = 0;
};

TEST_F(LineWriterTest, LinesAreWrittenInOrderAndAppended) {
  for (int round = 0; round < 2; ++round) {
    const auto writer = open({.path = path()});
    writer->write("one\n");
    writer->write("two\n");
    writer->stop(10s);
    writer->write("three\n");  // does nothing
  }
  EXPECT_EQ(text_of(path()), "one\ntwo\none\ntwo\n");
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(LineWriterTest, AFileThatCannotBeOpenedIsAnError) {
  EXPECT_THAT(LineWriter::open({.path = (folder_ / "none" / "log").string()}), fails_with(Errc::kIo));
}

// A pipe whose reader does not read: the writer takes what fits, and neither write() nor stop() waits for it.
TEST_F(LineWriterTest, APipeThatNobodyReadsBlocksNoCaller) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const int reader = ::open(path().c_str(), O_RDONLY | O_NONBLOCK);
  const auto writer = open({.path = path(), .bytes_max = 1u << 16});
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 1'000; ++i) writer->write(line);  // 1 MB; pipe, buffer and thread take 64 KiB each
  EXPECT_GT(dropped_, 700u);
  const auto began = std::chrono::steady_clock::now();
  writer->stop(100ms);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  std::string read(1u << 20, '\0');
  const ssize_t size = ::read(reader, read.data(), read.size());
  ASSERT_GT(size, 0);
  EXPECT_EQ(static_cast<std::uint64_t>(size) / 1'000 + dropped_, 1'000u) << "each line is read or counted";
  ::close(reader);
}

TEST_F(LineWriterTest, WhatWasDroppedIsToldWhenThereIsRoomAgain) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const int reader = ::open(path().c_str(), O_RDONLY | O_NONBLOCK);
  std::promise<std::uint64_t> told;
  std::atomic<bool> is_told = false;
  const auto writer = open({.path = path(),
                            .bytes_max = 1u << 16,
                            .on_dropped_before = [&](std::uint64_t lines, const std::string&) {
                              if (!is_told.exchange(true)) told.set_value(lines);
                            }});
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 1'000; ++i) writer->write(line);
  const std::uint64_t dropped = dropped_;
  auto answer = told.get_future();
  std::string read(1u << 16, '\0');
  while (answer.wait_for(1ms) != std::future_status::ready) {
    [[maybe_unused]] const ssize_t size = ::read(reader, read.data(), read.size());
  }
  EXPECT_EQ(answer.get(), dropped);
  ::close(reader);
}

TEST_F(LineWriterTest, AFullDiskDropsAndCountsLinesAndSaysWhy) {
  std::promise<std::string> reason;
  const auto writer =
      open({.path = "/dev/full",
            .on_dropped_before = [&](std::uint64_t, const std::string& why) { reason.set_value(why); }});
  writer->write("one\n");
  EXPECT_EQ(reason.get_future().get(), "No space left on device");
  EXPECT_EQ(dropped_, 1u);
}

TEST_F(LineWriterTest, AfterAMoveLinesGoToTheNewFile) {
  const auto writer = open({.path = path()});
  writer->write("one\n");
  std::filesystem::rename(path(), path() + ".1");
  writer->reopen();
  writer->write("two\n");
  writer->stop(10s);
  EXPECT_EQ(text_of(path() + ".1"), "one\n");
  EXPECT_EQ(text_of(path()), "two\n");
}

}  // namespace
}  // namespace cairn::cli

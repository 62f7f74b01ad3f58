#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "eventstore/base/result.h"

namespace cairn::cli {

// Writes lines to a file or to stderr, on a thread of its own: a caller never waits for a slow disk, a full one,
// or a pipe that nobody reads. Lines wait in a bounded buffer; those that do not fit, and those that cannot be
// written, are dropped and counted.
class LineWriter {
 public:
  struct Options {
    const char* thread_name = "cairn-log";
    std::string path;                  // empty: stderr
    std::size_t bytes_max = 4u << 20;  // of the lines that wait; as many are being written
    // Called at once when lines are dropped, from any thread: must not block.
    std::function<void(std::uint64_t lines)> on_dropped = {};
    // Called on the thread when lines were dropped and it can write again, or has failed to.
    std::function<void(std::uint64_t lines, const std::string& reason)> on_dropped_before = {};
    // Called on the thread when the file could not be opened again; the one before is used on.
    std::function<void(const Error& error)> on_reopen_failed = {};
  };

  // Opens the file for appending, readable by its owner only. Fails with kIo.
  static Result<std::unique_ptr<LineWriter>> open(Options options);
  ~LineWriter() { stop(std::chrono::milliseconds(0)); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Adds a line, which ends with "\n". Thread-safe; does nothing after stop().
  void write(std::string_view line);

  // Opens the file by its name again for the lines from here on: a tool has moved the one before away.
  // Thread-safe.
  void reopen();

  // Writes what waits, for at most `grace`, and ends the thread. One owner's thread.
  void stop(std::chrono::milliseconds grace);

 private:
  struct State;
  explicit LineWriter(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // also the thread's, which may outlive this object when a write blocks
  std::thread thread_;
};

}  // namespace cairn::cli

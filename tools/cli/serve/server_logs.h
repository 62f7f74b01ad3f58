#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/http/access_record.h"
#include "eventstore/base/log_event.h"
#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "tools/cli/serve/line_writer.h"
#include "tools/cli/serve/log_line.h"

namespace CLI {
class App;
}

namespace cairn::cli {

struct LogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;
};

// Adds --log-format and --log-level. REQUIRES: `options` outlives the parsing.
void add_log_options(CLI::App& command, LogOptions& options);

// The log of a process, on stderr. Thread-safe, except for stop().
class ServerLog {
 public:
  // Called with the number of lines that were dropped, from any thread: must not block.
  using OnDropped = std::function<void(std::uint64_t lines)>;

  // REQUIRES: the process forks no more.
  explicit ServerLog(const LogOptions& options, OnDropped on_dropped = {});
  ~ServerLog() { stop(); }
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  // Writes an event of this level or above. Does not block; see LineWriter.
  void write(const LogEvent& event);

  // REQUIRES: this object lives as long as the function is called.
  LogSink sink() {
    return [this](const LogEvent& event) { write(event); };
  }

  LogFormat format() const { return options_.format; }

  // Prints a line to stdout, where a supervisor waits for it: the message alone, or in JSON an object.
  void print(const LogEvent& event) const;

  // Writes what waits, for at most half a second, and ends.
  void stop();

 private:
  void dropped_before(std::uint64_t lines, const std::string& reason);

  const LogOptions options_;
  const bool colour_;
  LogThrottle dropped_;  // the writer's thread's
  std::unique_ptr<LineWriter> writer_;
};

// The access log: in a file, or with "-" in the log itself. Thread-safe.
class AccessLog {
 public:
  // Fails with kIo when the file cannot be opened. REQUIRES: `log` outlives it.
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path, ServerLog& log,
                                                 ServerLog::OnDropped on_dropped);

  // Writes what waits, for at most half a second.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void write(const api::AccessRecord& record);

  // After the file was moved away.
  void reopen();

 private:
  explicit AccessLog(ServerLog& log) : log_(log) {}
  void dropped_before(std::uint64_t lines, const std::string& reason);

  ServerLog& log_;
  LogThrottle dropped_;  // the writer's thread's
  std::string path_;
  std::unique_ptr<LineWriter> writer_;  // nullptr: the log itself
};

}  // namespace cairn::cli

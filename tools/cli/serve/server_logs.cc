#include "tools/cli/serve/server_logs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <utility>

#include "eventstore/base/assert.h"
#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

// A stop may take 5 s in all.
constexpr std::chrono::milliseconds kLogStopGrace{500};

// Counts lines, not events: the throttle's number is that of the lines that were dropped since the last report.
std::optional<std::uint64_t> lines_to_report(LogThrottle& throttle, std::uint64_t lines) {
  throttle.suppress(lines - 1);
  const auto before = throttle.take(system_time());
  return before ? std::optional(*before + 1) : std::nullopt;
}

}  // namespace

void add_log_options(CLI::App& command, LogOptions& options) {
  add_choice<LogFormat>(command, "--log-format", options.format, "The format of log lines: text or json",
                        {{"text", LogFormat::kText}, {"json", LogFormat::kJson}})
      ->type_name("FORMAT");
  add_choice<LogLevel>(command, "--log-level", options.level,
                       "The least important lines that are logged: debug, info, warning or error",
                       {{"debug", LogLevel::kDebug},
                        {"info", LogLevel::kInfo},
                        {"warning", LogLevel::kWarning},
                        {"error", LogLevel::kError}})
      ->type_name("LEVEL");
}

ServerLog::ServerLog(const LogOptions& options, OnDropped on_dropped)
    : options_(options), colour_(options.format == LogFormat::kText && wants_colour(STDERR_FILENO)) {
  auto writer = LineWriter::open({.thread_name = "cairn-log",
                                  .path = "",
                                  .on_dropped = std::move(on_dropped),
                                  .on_dropped_before = [this](std::uint64_t lines, const std::string& why) {
                                    dropped_before(lines, why);
                                  }});
  CAIRN_ASSERT(writer.ok());  // it opens no file
  writer_ = *std::move(writer);
}

void ServerLog::write(const LogEvent& event) {
  if (event.level < options_.level) return;
  writer_->write(log_line(event, system_time(), options_.format, colour_));
}

void ServerLog::stop() { writer_->stop(kLogStopGrace); }

void ServerLog::print(const LogEvent& event) const {
  if (options_.format == LogFormat::kJson) {
    std::cout << log_line(event, system_time(), LogFormat::kJson) << std::flush;
  } else {
    std::cout << event.message << std::endl;
  }
}

void ServerLog::dropped_before(std::uint64_t lines, const std::string& reason) {
  const auto count = lines_to_report(dropped_, lines);
  if (!count) return;
  write(LogEvent(LogLevel::kError, "log-lines-dropped",
                 fmt::format("{} lines of this log were dropped: {}", *count, reason))
            .with("lines", *count)
            .with("error", reason));
}

Result<std::unique_ptr<AccessLog>> AccessLog::open(const std::string& path, ServerLog& log,
                                                   ServerLog::OnDropped on_dropped) {
  std::unique_ptr<AccessLog> access(new AccessLog(log));
  if (path == "-") return access;
  access->path_ = path;
  AccessLog* const self = access.get();
  CAIRN_TRY(access->writer_,
            LineWriter::open(
                {.thread_name = "cairn-access",
                 .path = path,
                 .on_dropped = std::move(on_dropped),
                 .on_dropped_before = [self](std::uint64_t lines,
                                             const std::string& why) { self->dropped_before(lines, why); },
                 .on_reopen_failed =
                     [self](const Error& error) {
                       self->log_.write(LogEvent(LogLevel::kError, "access-log-reopen-failed",
                                                 "The access log goes on in the file that was open before: " +
                                                     error.message)
                                            .with("file", self->path_)
                                            .with("error", error.message));
                     }}));
  return access;
}

AccessLog::~AccessLog() {
  if (writer_ != nullptr) writer_->stop(kLogStopGrace);
}

void AccessLog::write(const api::AccessRecord& record) {
  if (writer_ == nullptr) return log_.write(access_event(record));
  writer_->write(access_line(record, system_time(), log_.format()));
}

void AccessLog::reopen() {
  if (writer_ != nullptr) writer_->reopen();
}

void AccessLog::dropped_before(std::uint64_t lines, const std::string& reason) {
  const auto count = lines_to_report(dropped_, lines);
  if (!count) return;
  log_.write(LogEvent(LogLevel::kWarning, "access-lines-dropped",
                      fmt::format("{} lines of the access log {} were dropped: {}", *count, path_, reason))
                 .with("lines", *count)
                 .with("file", path_)
                 .with("error", reason));
}

}  // namespace cairn::cli

#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace cairn::cli {

// Why the server stops.
struct StopReason {
  bool fatal = false;
  std::string text;
};

// Waits for the moment to stop: SIGTERM, SIGINT, or a failure that somebody inside reports.
//
// Made before any other thread, because the threads made after it must not be the ones the signals interrupt.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Returns when there is a reason. From then on a further signal ends the process as signals do, for those
  // who cannot wait for an orderly end.
  StopReason wait();

  // Makes wait() return with a fatal reason; the first one counts. Any thread, does not block.
  void report_fatal(std::string_view reason);

 private:
  int signals_ = -1;  // readable when a signal has come
  int failure_ = -1;  // readable when a failure was reported
  std::mutex mutex_;
  std::string failure_text_;
};

}  // namespace cairn::cli

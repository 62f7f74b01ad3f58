#include "tools/cli/serve/line_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"

namespace cairn::cli {

namespace {

using SteadyClock = std::chrono::steady_clock;

// How often a thread that waits for room in a pipe looks whether it is to stop.
constexpr std::chrono::milliseconds kLookForStop{50};

// A write up to this size does not block on a pipe that poll() says has room.
constexpr std::size_t kWriteMax = PIPE_BUF;
// A regular file takes more at once.
constexpr std::size_t kFileWriteMax = 64u << 10;

std::uint64_t lines_of(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

Result<int> open_log_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (descriptor < 0) return make_error(Errc::kIo, system_error("opening " + path, errno).message);
  return descriptor;
}

}  // namespace

struct LineWriter::State {
  explicit State(Options given) : options(std::move(given)) {}
  ~State() {
    if (descriptor > STDERR_FILENO) ::close(descriptor);
  }

  void run() CAIRN_EXCLUDES(mutex);
  void reopen_file();
  // Returns how much was written: less than all of it after a failure, or when the time to stop has come.
  std::size_t write_all(std::string_view text) CAIRN_EXCLUDES(mutex);
  // Returns how many lines were lost.
  std::uint64_t write_or_lose(std::string_view text) CAIRN_EXCLUDES(mutex) {
    const std::uint64_t lost = lines_of(text.substr(write_all(text)));
    dropped(lost);
    return lost;
  }
  bool gives_up() CAIRN_EXCLUDES(mutex);
  void dropped(std::uint64_t lines) {
    if (lines > 0 && options.on_dropped && !abandoned.load()) options.on_dropped(lines);
  }

  const Options options;
  // The thread's.
  int descriptor = STDERR_FILENO;
  bool line_is_open = false;  // the last write ended within a line
  std::string failure;        // of the last write

  // stop() has given up: nothing that the functions of `options` use need exist any more.
  std::atomic<bool> abandoned = false;

  Mutex mutex;
  CondVar changed;
  std::string waiting CAIRN_GUARDED_BY(mutex);
  std::uint64_t overflowed CAIRN_GUARDED_BY(mutex) = 0;  // lines that did not fit, and were not reported
  std::optional<std::size_t> reopen_at CAIRN_GUARDED_BY(mutex);  // so much of `waiting` is for the old file
  bool stopping CAIRN_GUARDED_BY(mutex) = false;
  SteadyClock::time_point give_up_at CAIRN_GUARDED_BY(mutex);
  bool ended CAIRN_GUARDED_BY(mutex) = false;
};

void LineWriter::State::run() {
  std::string writing;
  MutexLock lock(mutex);
  while (true) {
    changed.wait(lock, [this]() CAIRN_REQUIRES(mutex) { return stopping || reopen_at || !waiting.empty(); });
    if (waiting.empty() && !reopen_at) break;
    const auto old_file_bytes = std::exchange(reopen_at, std::nullopt);
    std::swap(waiting, writing);
    lock.unlock();
    std::uint64_t lost = 0;
    std::string_view lines_to_write = writing;
    if (old_file_bytes) {
      lost += write_or_lose(lines_to_write.substr(0, *old_file_bytes));
      lines_to_write.remove_prefix(*old_file_bytes);
      reopen_file();
    }
    lost += write_or_lose(lines_to_write);
    const bool wrote = lost == 0;
    writing.clear();
    lock.lock();
    const std::uint64_t lines = lost + std::exchange(overflowed, 0);
    if (lines == 0 || !options.on_dropped_before || abandoned.load()) continue;
    lock.unlock();
    options.on_dropped_before(lines, wrote ? "they came faster than they could be written" : failure);
    lock.lock();
  }
  ended = true;
  changed.notify_all();
}

void LineWriter::State::reopen_file() {
  if (options.path.empty()) return;
  auto opened = open_log_file(options.path);
  if (!opened.ok()) {
    if (options.on_reopen_failed && !abandoned.load()) options.on_reopen_failed(opened.error());
    return;
  }
  ::close(std::exchange(descriptor, *opened));
  line_is_open = false;
}

bool LineWriter::State::gives_up() {
  const MutexLock lock(mutex);
  return stopping && SteadyClock::now() >= give_up_at;
}

std::size_t LineWriter::State::write_all(std::string_view text) {
  struct stat about {};
  const bool is_file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  std::size_t done = 0;
  // After a failure within a line the next one begins on a line of its own.
  bool separates = std::exchange(line_is_open, false);
  while (done < text.size() && !gives_up()) {
    pollfd watched{descriptor, POLLOUT, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(kLookForStop.count()));
    if (ready <= 0) {
      failure = "nobody reads them";
      continue;
    }
    const std::string_view part =
        separates ? std::string_view("\n") : text.substr(done, is_file ? kFileWriteMax : kWriteMax);
    const ssize_t written = ::write(descriptor, part.data(), part.size());
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written <= 0) {
      failure = std::generic_category().message(errno);
      break;
    }
    if (separates) {
      separates = false;
    } else {
      done += static_cast<std::size_t>(written);
    }
  }
  if (done < text.size()) {
    line_is_open = done > 0 ? text[done - 1] != '\n' : separates;
  }
  return done;
}

LineWriter::LineWriter(std::shared_ptr<State> state) : state_(std::move(state)) {
  // A signal is for the threads that wait for it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([state = state_] {
    name_this_thread(state->options.thread_name);
    state->run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Result<std::unique_ptr<LineWriter>> LineWriter::open(Options options) {
  auto state = std::make_shared<State>(std::move(options));
  if (!state->options.path.empty()) {
    CAIRN_TRY(state->descriptor, open_log_file(state->options.path));
  }
  return std::unique_ptr<LineWriter>(new LineWriter(std::move(state)));
}

void LineWriter::write(std::string_view line) {
  {
    const MutexLock lock(state_->mutex);
    if (state_->stopping) return;
    if (state_->waiting.size() + line.size() <= state_->options.bytes_max) {
      state_->waiting += line;
      if (state_->waiting.size() == line.size()) state_->changed.notify_all();
      return;
    }
    ++state_->overflowed;
  }
  state_->dropped(1);
}

void LineWriter::reopen() {
  const MutexLock lock(state_->mutex);
  state_->reopen_at = state_->waiting.size();
  state_->changed.notify_all();
}

// A write that blocks all the same, as on a disk that does not answer, is left to the end of the process.
void LineWriter::stop(std::chrono::milliseconds grace) {
  if (!thread_.joinable()) return;
  State& state = *state_;
  {
    MutexLock lock(state.mutex);
    state.stopping = true;
    state.give_up_at = SteadyClock::now() + grace;
    state.changed.notify_all();
    state.changed.wait_for(lock, grace + 4 * kLookForStop,
                           [&state]() CAIRN_REQUIRES(state.mutex) { return state.ended; });
    if (!state.ended) {
      state.abandoned = true;
      thread_.detach();
      return;
    }
  }
  thread_.join();
}

}  // namespace cairn::cli

#include "tools/cli/server/follow.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>

#include "api/client/sse_parser.h"
#include "eventstore/base/assert.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using namespace std::chrono_literals;
using Next = api::Client::Next;

constexpr std::chrono::milliseconds kFirstPause = 250ms;
constexpr std::chrono::milliseconds kLongestPause = 10s;

// Reads one connection after the other.
class Follower {
 public:
  Follower(api::Client& client, const ReadQuery& query, EventPrinter& printer)
      : client_(client), left_(query.limit), printer_(printer) {
    ReadQuery unlimited = query;
    unlimited.limit.reset();
    path_ = read_path(unlimited);
  }

  // Reads until the connection ends or the limit is reached.
  Result<api::Answer> read_once() {
    api::Client::Headers headers = {{"Accept", "text/event-stream"}};
    if (!last_id_.empty()) headers.emplace_back("Last-Event-ID", last_id_);
    api::SseParser parser;
    return client_.get_lines(path_, headers, [&](std::string_view line) {
      const auto data = parser.take(line);
      const Next next = data ? take(*data) : Next::kGoOn;
      if (!parser.last_id().empty()) last_id_ = parser.last_id();
      return next;
    });
  }

  bool done() const { return done_; }

  // The delay before the next attempt: exponential backoff, reset by an event.
  std::chrono::milliseconds next_pause() {
    const auto pause = pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
    return pause;
  }

 private:
  Next take(const std::string& data) {
    pause_ = kFirstPause;
    done_ = !printer_.print(data) || (left_ && --*left_ == 0);
    return done_ ? Next::kStop : Next::kGoOn;
  }

  api::Client& client_;
  std::optional<std::uint64_t> left_;
  EventPrinter& printer_;
  std::string path_;
  std::string last_id_;
  std::chrono::milliseconds pause_ = kFirstPause;
  bool done_ = false;
};

std::string reason_for_pause(const Result<api::Answer>& answer) {
  if (!answer) return answer.error().message;
  return answer->ok() ? "the server ended the stream" : refusal_text(*answer);
}

}  // namespace

int follow(api::Client& client, const ReadQuery& query, EventPrinter& printer) {
  CAIRN_ASSERT(!query.backward);
  Interruption interruption([&client] { client.stop(); });
  Follower follower(client, query, printer);
  for (bool first = true; !interruption.arrived(); first = false) {
    const auto answer = follower.read_once();
    if (follower.done() || interruption.arrived()) break;
    if (first && !answer && answer.error().code == Errc::kIo) return report_unreachable(answer.error());
    if (answer && !answer->ok() && answer->status != 503) return report_refusal(*answer, false);
    const auto pause = follower.next_pause();
    std::cerr << "cairn: " << reason_for_pause(answer) << "; retrying in "
              << static_cast<double>(pause.count()) / 1000 << " s" << std::endl;
    interruption.pause(pause);
  }
  return printer.finish();
}

}  // namespace cairn::cli

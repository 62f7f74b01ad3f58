#include "eventstore/tokens/fencing_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace cairn {
namespace {

constexpr const char* kReservedType = "TokensReserved";
// Several sources of one store may reserve at the same time.
constexpr int kAttemptsMax = 100;
// A clock beyond the year 2112 is wrong, and must not use up the tokens that are left.
constexpr std::int64_t kClockMax = std::int64_t{1} << 52;

struct LastChunk {
  StreamVersion version;      // of the stream
  std::uint64_t through = 0;  // the last token that was reserved
};

Error unreadable(const EventView& event) {
  Error error = make_error(
      Errc::kCorruption,
      fmt::format("the reservation of tokens at position {} cannot be read", event.position.value));
  error.position = event.position.value;
  return error;
}

Result<LastChunk> last_chunk(EventStore& store) {
  CAIRN_TRY(const auto info, store.system_stream_info(kTokenStream));
  if (!info) return LastChunk{};
  CAIRN_TRY(const StreamPage page,
            store.read_system_stream(kTokenStream,
                                     {.from = info->version, .direction = Direction::kBackward, .limit = 1}));
  if (page.events.size() != 1) return make_error(Errc::kCorruption, "the stream '$tokens' has no last event");
  const EventView& event = page.events[0];
  const auto json = nlohmann::json::parse(event.data, nullptr, false);
  if (!json.is_object() || !json.contains("through") || !json["through"].is_number_unsigned())
    return unreadable(event);
  return LastChunk{info->version, json["through"].get<std::uint64_t>()};
}

}  // namespace

Result<FencingToken> FencingTokens::next() {
  const MutexLock lock(mutex_);
  if (next_ == end_) CAIRN_CHECK(reserve());
  return FencingToken{next_++};
}

Status FencingTokens::reserve() {
  CAIRN_TRY(const std::string history, store_.history_id());
  for (int attempt = 0;; ++attempt) {
    CAIRN_TRY(const LastChunk last, last_chunk(store_));
    const std::int64_t now = clock_().micros;
    const std::uint64_t by_clock = now > 0 && now < kClockMax ? static_cast<std::uint64_t>(now) : 0;
    const std::uint64_t from = std::max({last.through + 1, by_clock, end_});
    if (last.through >= kLimit || from + chunk_ > kLimit)
      return make_error(Errc::kFailedPrecondition,
                        fmt::format("no tokens are left: the last one is {}", last.through));
    const nlohmann::ordered_json data{{"from", from}, {"through", from + chunk_ - 1}, {"historyId", history}};
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({.stream = std::string(kTokenStream),
                               .expected = ExpectedVersion::exactly(last.version.value),
                               .events = {{.type = kReservedType, .data = data.dump()}}});
    const auto appended = store_.append(std::move(request));
    if (appended.ok()) {
      next_ = from;
      end_ = from + chunk_;
      return {};
    }
    if (appended.error().code != Errc::kVersionConflict || attempt == kAttemptsMax) return appended.error();
  }
}

}  // namespace cairn

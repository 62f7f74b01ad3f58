#include "eventstore/index/index_state.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"

namespace cairn {
namespace {

constexpr std::size_t kStateBytes = 4 + 16 + 8 + 32;

}  // namespace

std::string encode_state(const IndexState& state) {
  std::string payload(kStateBytes, '\0');
  store_le(payload.data(), state.format);
  std::memcpy(payload.data() + 4, state.store_id.bytes.data(), 16);
  store_le(payload.data() + 20, state.through.value);
  std::memcpy(payload.data() + 28, state.hash.data(), 32);
  return record::seal(kStateKey, std::move(payload));
}

Result<IndexState> decode_state(std::string_view sealed) {
  CAIRN_TRY(const std::string_view payload, record::unseal(kStateKey, sealed));
  const auto format = payload.size() == kStateBytes ? load_le<std::uint32_t>(payload.data()) : 0;
  if (format < kOldestIndexFormat || format > kIndexFormat) {
    return make_error(Errc::kCorruption,
                      fmt::format("the index has format {}, and this program reads formats {} to {}", format,
                                  kOldestIndexFormat, kIndexFormat));
  }
  IndexState state{.format = format, .store_id = {}, .through = {}};
  std::memcpy(state.store_id.bytes.data(), payload.data() + 4, 16);
  state.through = {load_le<std::uint64_t>(payload.data() + 20)};
  std::memcpy(state.hash.data(), payload.data() + 28, 32);
  return state;
}

}  // namespace cairn

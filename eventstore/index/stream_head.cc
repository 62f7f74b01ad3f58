#include "eventstore/index/stream_head.h"

#include <utility>

#include "eventstore/base/sealed.h"

namespace cairn::record {

// Positions descend along the path, so each is stored as the difference to the previous one.
std::string encode_head(const StreamHead& head) {
  std::string out;
  put_varint(out, head.version.value);
  put_varint(out, head.first_position.value);
  put_varint(out, static_cast<std::uint64_t>(head.created_at.micros));
  put_varint(out, static_cast<std::uint64_t>(head.updated_at.micros - head.created_at.micros));
  put_varint(out, head.path.positions().size());
  std::uint64_t last = 0;
  for (const std::uint64_t position : head.path.positions()) {
    put_varint(out, last == 0 ? position : last - position);
    last = position;
  }
  return out;
}

std::optional<StreamHead> decode_head(std::string_view payload) {
  const auto version = take_varint(payload);
  const auto first = take_varint(payload);
  const auto created = take_varint(payload);
  const auto age = take_varint(payload);
  const auto count = take_varint(payload);
  if (!version || !first || !created || !age || !count || *count > 128) return std::nullopt;
  JumpPath::Positions positions;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto number = take_varint(payload);
    if (!number) return std::nullopt;
    last = i == 0 ? *number : last - *number;
    positions.push_back(last);
  }
  if (!payload.empty()) return std::nullopt;
  return StreamHead{.version = {*version},
                    .first_position = {*first},
                    .created_at = {static_cast<std::int64_t>(*created)},
                    .updated_at = {static_cast<std::int64_t>(*created + *age)},
                    .path = JumpPath(std::move(positions))};
}

}  // namespace cairn::record

#include "projections/aggregates/snapshot_codec.h"

#include "eventstore/base/sealed.h"

namespace cairn {

namespace {

constexpr std::uint64_t kFormat = 1;

void put_text(std::string& to, std::string_view text) {
  record::put_varint(to, text.size());
  to += text;
}

// Reads one value after the other. After the first that is cut off, all others are empty and ok() is false.
class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    const auto taken = ok_ ? record::take_varint(rest_) : std::nullopt;
    ok_ = taken.has_value();
    return taken.value_or(0);
  }
  std::string_view text() {
    const std::uint64_t size = number();
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string encode_snapshot(const Snapshot& snapshot) {
  std::string bytes;
  record::put_varint(bytes, kFormat);
  record::put_varint(bytes, snapshot.position.value);
  record::put_varint(bytes, static_cast<std::uint64_t>(snapshot.recorded_at.micros));
  put_text(bytes, snapshot.aggregate);
  record::put_varint(bytes, snapshot.chains.size());
  for (const RememberedChain& chain : snapshot.chains) {
    put_text(bytes, chain.type);
    record::put_varint(bytes, chain.schema.value);
    put_text(bytes, chain.fingerprint);
    record::put_varint(bytes, chain.made_at ? *chain.made_at + 1 : 0);
  }
  bytes += snapshot.state;
  return bytes;
}

std::optional<Snapshot> decode_snapshot(std::string_view bytes) {
  SnapshotReader reader(bytes);
  if (reader.number() != kFormat) return std::nullopt;
  Snapshot snapshot;
  snapshot.position = {reader.number()};
  snapshot.recorded_at = {static_cast<std::int64_t>(reader.number())};
  snapshot.aggregate = reader.text();
  const std::uint64_t chains = reader.number();
  for (std::uint64_t i = 0; i < chains && reader.ok(); ++i) {
    RememberedChain chain;
    chain.type = reader.text();
    chain.schema = {static_cast<std::uint32_t>(reader.number())};
    chain.fingerprint = reader.text();
    if (const std::uint64_t made_at = reader.number(); made_at > 0) chain.made_at = made_at - 1;
    snapshot.chains.push_back(chain);
  }
  if (!reader.ok()) return std::nullopt;
  snapshot.state = reader.rest();
  return snapshot;
}

}  // namespace cairn

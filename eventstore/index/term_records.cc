#include "eventstore/index/term_records.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"

namespace cairn::term_records {
namespace {

// LMDB keeps key, value and 8 bytes of header of two such records on a page; a larger one would get pages of
// its own.
constexpr std::size_t kRecordBytesMax = 2'030;
constexpr std::size_t kSealBytes = 4;
constexpr std::size_t kVarintBytesMax = 10;
constexpr std::size_t kRunBytes = 4;
constexpr std::size_t kPositionBytes = 8;
constexpr unsigned kShortMax = 14;  // lengths that fit into half a byte; 15 says that varints follow

std::uint64_t zigzag(std::uint64_t to, std::uint64_t from) {
  const auto difference = static_cast<std::int64_t>(to - from);
  return (static_cast<std::uint64_t>(difference) << 1) ^ static_cast<std::uint64_t>(difference >> 63);
}

std::uint64_t unzigzag(std::uint64_t coded, std::uint64_t from) {
  return from + ((coded >> 1) ^ (~(coded & 1) + 1));
}

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

bool is_kind(char kind) { return kind == 'c' || kind == 'g' || kind == 'm' || kind == 'r' || kind == 't'; }

}  // namespace

std::string key_of(std::uint32_t run, const TermView& term, std::uint64_t position) {
  std::string key(kRunBytes, '\0');
  const std::uint32_t number = __builtin_bswap32(run);
  std::memcpy(key.data(), &number, kRunBytes);
  key += static_cast<char>(term.kind);
  key += term.bytes;
  key += '\0';
  key.resize(key.size() + kPositionBytes);
  store_be64(key.data() + key.size() - kPositionBytes, position);
  return key;
}

void Encoder::begin(const TermView& term, std::uint64_t total) {
  close_entry();
  term_.assign(1, static_cast<char>(term.kind));
  term_ += term.bytes;
  total_ = total;
  before_ = 0;
  find_room();
}

// How many bytes of positions the entry of the term may have in this record, so that one more fits.
void Encoder::find_room() {
  const std::size_t entry_bytes_max = 1 + 2 * kVarintBytesMax + term_.size() + 3 * kVarintBytesMax;
  const std::size_t filled = key_.size() + payload_.size() + entry_bytes_max + kVarintBytesMax + kSealBytes;
  room_ = filled < kRecordBytesMax ? kRecordBytesMax - filled : 0;
}

void Encoder::add(std::uint64_t position) {
  if (positions_.size() >= room_ && !key_.empty()) {
    close_entry();
    close_record();
  }
  if (key_.empty()) {
    key_ = key_of(run_, {static_cast<TermKind>(term_[0]), std::string_view(term_).substr(1)}, position);
    key_position_ = position;
    find_room();
  } else if (count_ == 0) {
    record::put_varint(positions_, zigzag(position, key_position_));
  } else {
    CAIRN_ASSERT(position > last_, position, last_);
    record::put_varint(positions_, position - last_);
  }
  last_ = position;
  ++count_;
}

void Encoder::close_entry() {
  if (count_ == 0) return;
  if (!payload_.empty()) {  // the first entry's term is in the key
    const std::size_t shared = shared_prefix(previous_, term_);
    const std::size_t rest = term_.size() - shared;
    if (shared <= kShortMax && rest <= kShortMax) {
      payload_ += static_cast<char>(shared << 4 | rest);
    } else {
      payload_ += '\xFF';
      record::put_varint(payload_, shared);
      record::put_varint(payload_, rest);
    }
    payload_.append(term_, shared);
  }
  const bool partial = count_ != total_;
  record::put_varint(payload_, count_ << 1 | (partial ? 1 : 0));
  if (partial) {
    record::put_varint(payload_, total_);
    record::put_varint(payload_, before_);
  }
  payload_ += positions_;
  previous_ = term_;
  before_ += count_;
  positions_.clear();
  count_ = 0;
}

void Encoder::close_record() {
  if (key_.empty()) return;
  std::string sealed = record::seal(key_, std::move(payload_));
  records_.push_back({std::move(key_), std::move(sealed)});
  key_.clear();
  payload_.clear();
  previous_.clear();
}

void Encoder::finish() {
  close_entry();
  close_record();
}

Result<Decoder> Decoder::open(std::string_view key, std::string_view value) {
  Decoder decoder;
  decoder.key_ = key;
  if (key.size() < kRunBytes + 2 + kPositionBytes || !is_kind(key[kRunBytes]) ||
      key[key.size() - kPositionBytes - 1] != '\0') {
    return make_error(Errc::kCorruption,
                      "index term record with an invalid key '" + record::printable(key) + "'");
  }
  CAIRN_TRY(decoder.payload_, record::unseal(key, value));
  decoder.run_ = __builtin_bswap32(load_le<std::uint32_t>(key.data()));
  decoder.key_position_ = load_be64(key.data() + key.size() - kPositionBytes);
  decoder.term_ = key.substr(kRunBytes, key.size() - kRunBytes - 1 - kPositionBytes);
  return decoder;
}

Error Decoder::damaged() const {
  return make_error(Errc::kCorruption, "index term record '" + record::printable(key_) + "' cannot be read");
}

Result<std::uint64_t> Decoder::number() {
  const auto number = record::take_varint(payload_);
  if (!number) return damaged();
  return *number;
}

Result<bool> Decoder::next() {
  if (positions_left_) CAIRN_CHECK(positions());
  if (payload_.empty()) {
    if (!begun_) return damaged();
    return false;
  }
  const bool first = !std::exchange(begun_, true);
  if (!first) {
    const auto lengths = static_cast<unsigned char>(payload_.front());
    payload_.remove_prefix(1);
    std::uint64_t shared = lengths >> 4, rest = lengths & 15;
    if (lengths == 0xFF) {
      CAIRN_TRY(shared, number());
      CAIRN_TRY(rest, number());
    }
    if (shared > term_.size() || rest > payload_.size() || shared + rest < 1) return damaged();
    term_.resize(shared);
    term_ += payload_.substr(0, rest);
    payload_.remove_prefix(rest);
    if (!is_kind(term_[0])) return damaged();
  }
  CAIRN_TRY(const std::uint64_t counted, number());
  count_ = counted >> 1;
  total_ = count_;
  before_ = 0;
  if ((counted & 1) != 0) {
    CAIRN_TRY(total_, number());
    CAIRN_TRY(before_, number());
  }
  // Each position but one that is in the key takes a byte at least.
  if (count_ == 0 || count_ - 1 > payload_.size() || count_ > total_ || before_ > total_ - count_)
    return damaged();
  first_ = key_position_;
  if (!first) {
    CAIRN_TRY(const std::uint64_t coded, number());
    first_ = unzigzag(coded, key_position_);
  }
  positions_left_ = true;
  return true;
}

Result<std::vector<std::uint64_t>> Decoder::positions() {
  CAIRN_ASSERT(positions_left_);
  positions_left_ = false;
  std::vector<std::uint64_t> positions;
  positions.reserve(count_);
  positions.push_back(first_);
  while (positions.size() < count_) {
    CAIRN_TRY(const std::uint64_t difference, number());
    if (difference == 0 || difference > ~positions.back()) return damaged();
    positions.push_back(positions.back() + difference);
  }
  return positions;
}

}  // namespace cairn::term_records

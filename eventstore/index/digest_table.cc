#include "eventstore/index/digest_table.h"

#include <algorithm>

#include "eventstore/base/assert.h"

namespace cairn {
namespace {

bool is_before(const DigestTable::Pair& pair, std::uint64_t position) { return pair.position < position; }

}  // namespace

std::uint64_t DigestTable::number_of(std::string_view digest) {
  CAIRN_ASSERT(digest.size() == kDigestBytes, digest.size());
  std::uint64_t number = 0;
  for (const char byte : digest) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::array<char, kDigestBytes> DigestTable::bytes_of(std::uint64_t digest) {
  std::array<char, kDigestBytes> bytes;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    *byte = static_cast<char>(digest);
    digest >>= 8;
  }
  return bytes;
}

void DigestTable::reserve(std::size_t pairs) {
  // Lists differ in length: a fifth more than the mean suffices for almost all of them.
  const std::size_t each = pairs / kLists * 6 / 5;
  bytes_ = 0;
  for (auto& list : lists_) {
    list.reserve(each);
    bytes_ += list.capacity() * sizeof(Pair);
  }
}

void DigestTable::append_from(std::uint64_t digest, std::uint64_t from, std::size_t limit,
                              std::vector<std::uint64_t>& out) const {
  const auto& list = lists_[list_of(digest)];
  auto pair = std::lower_bound(list.begin(), list.end(), from, is_before);
  for (; pair != list.end() && out.size() < limit; ++pair) {
    if (pair->digest == digest) out.push_back(pair->position);
  }
}

void DigestTable::append_down_from(std::uint64_t digest, std::uint64_t from, std::size_t limit,
                                   std::vector<std::uint64_t>& out) const {
  const auto& list = lists_[list_of(digest)];
  auto end = from == ~std::uint64_t{0} ? list.end()
                                       : std::lower_bound(list.begin(), list.end(), from + 1, is_before);
  while (end != list.begin() && out.size() < limit) {
    --end;
    if (end->digest == digest) out.push_back(end->position);
  }
}

std::vector<DigestTable::Pair> DigestTable::sorted(std::size_t list) const {
  std::vector<Pair> pairs = lists_[list];
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace cairn

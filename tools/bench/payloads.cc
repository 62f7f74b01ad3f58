#include "tools/bench/payloads.h"

#include <array>
#include <cstring>
#include <random>

#include "eventstore/base/assert.h"

namespace cairn::bench {
namespace {

constexpr std::size_t kPayloads = 1024;

constexpr std::array<std::string_view, 8> kTypes = {"AccountOpened", "MoneyDeposited", "MoneyWithdrawn",
                                                    "FeeCharged",    "LimitChanged",   "OwnerChanged",
                                                    "CardIssued",    "StatementSent"};

std::string make_data(std::size_t bytes, std::mt19937_64& random) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
  std::string data = R"({"note":")";
  while (data.size() + 2 < bytes) data += letters[random() % letters.size()];
  return data + R"("})";
}

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// The last partial word is read together with the bytes before it: cheaper than a copy.
std::uint64_t sum_words(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  if (text.size() < kWord) {
    for (const char c : text) sum = sum << 8 | static_cast<unsigned char>(c);
    return sum;
  }
  const char* const last = text.data() + text.size() - kWord;
  for (const char* at = text.data(); at < last; at += kWord) sum += word_at(at);
  return sum + word_at(last);
}

}  // namespace

Payloads::Payloads(std::size_t event_bytes) {
  CAIRN_ASSERT(event_bytes >= kEventBytesMin, event_bytes);
  std::mt19937_64 random(event_bytes);
  data_.reserve(kPayloads);
  for (std::size_t i = 0; i < kPayloads; ++i) data_.push_back(make_data(event_bytes, random));
}

std::string_view Payloads::type(std::uint64_t event) const { return kTypes[event % kTypes.size()]; }

void EventFold::add(std::string_view stream, std::uint64_t version, std::string_view type,
                    std::string_view data) {
  // The version is a factor, so that exchanged versions change the sum.
  sum_ += (sum_words(stream) + sum_words(type) + sum_words(data)) * (2 * version + 1);
  bytes_ += data.size();
  ++events_;
}

}  // namespace cairn::bench

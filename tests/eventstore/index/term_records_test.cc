#include "eventstore/index/term_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/base/sealed.h"
#include "tests/support/matchers.h"
#include "tests/support/random.h"

namespace cairn::term_records {
namespace {

using test::fails_with;
using test::succeeds;

constexpr std::uint32_t kRun = 7;
using Postings = std::map<std::pair<TermKind, std::string>, std::vector<std::uint64_t>>;

std::vector<Record> encode(const Postings& postings) {
  Encoder encoder(kRun);
  for (const auto& [term, positions] : postings) {
    encoder.begin({term.first, term.second}, positions.size());
    for (const std::uint64_t position : positions) encoder.add(position);
  }
  encoder.finish();
  return encoder.take();
}

Postings decode(const std::vector<Record>& records) {
  Postings postings;
  for (const Record& record : records) {
    auto decoder = Decoder::open(record.key, record.value);
    EXPECT_THAT(decoder, succeeds());
    for (auto more = decoder->next(); more.ok() && *more; more = decoder->next()) {
      auto& list = postings[{decoder->term().kind, std::string(decoder->term().bytes)}];
      EXPECT_EQ(decoder->before(), list.size());
      const auto positions = decoder->positions();
      EXPECT_THAT(positions, succeeds());
      EXPECT_EQ(decoder->count(), positions->size());
      list.insert(list.end(), positions->begin(), positions->end());
      EXPECT_GE(decoder->total(), list.size());
    }
  }
  return postings;
}

Postings random_postings(test::Random& random) {
  Postings postings;
  const std::uint64_t base = random.below(1u << 20) + 1;
  for (std::uint64_t terms = random.below(400) + 1; terms > 0; --terms) {
    const TermKind kind = std::array{TermKind::kCategory, TermKind::kType, TermKind::kTag,
                                     TermKind::kCorrelation, TermKind::kCommand}[random.below(5)];
    std::string bytes;
    if (is_digest(kind)) {
      for (std::size_t i = 0; i < kDigestBytes; ++i) bytes += static_cast<char>(random.below(256));
    } else {
      bytes = random.below(2) == 0 ? "customer:" : "";
      bytes += std::to_string(random.below(500));
      if (random.below(20) == 0) bytes.resize(200, 'x');
    }
    auto& list = postings[{kind, bytes}];
    list.clear();
    std::uint64_t position = base + random.below(1'000'000);
    const std::uint64_t count = random.below(30) == 0 ? random.below(5'000) + 1 : random.below(4) + 1;
    while (list.size() < count)
      list.push_back(position += 1 + random.below(random.below(2) == 0 ? 2 : 10'000));
  }
  return postings;
}

TEST(TermRecordsTest, WhatIsEncodedIsDecoded) {
  test::Random random("TermRecordsTest");
  for (int round = 0; round < 50; ++round) {
    const Postings postings = random_postings(random);
    const std::vector<Record> records = encode(postings);
    EXPECT_EQ(decode(records), postings);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_LE(records[i].key.size() + records[i].value.size(), 2'030u) << "two records fill a page of LMDB";
      if (i > 0) {
        EXPECT_LT(records[i - 1].key, records[i].key);
      }
    }
  }
}

// Ids and tags of which each is another one, as in most stores.
TEST(TermRecordsTest, ATermOfOneEventTakesAtMostTwelveBytes) {
  test::Random random("TermRecordsSize");
  constexpr std::size_t kEvents = 500'000;
  Postings ids, tags;
  for (std::uint64_t position = 1; position <= kEvents; ++position) {
    std::string digest(kDigestBytes, '\0');
    for (char& byte : digest) byte = static_cast<char>(random.below(256));
    ids[{TermKind::kCorrelation, digest}].push_back(position);
    tags[{TermKind::kTag, "customer:" + std::to_string(random.below(100'000'000))}].push_back(position);
  }
  const auto bytes_of = [](const std::vector<Record>& records) {
    return static_cast<double>((records.size() + 1) / 2 * 4'096) / kEvents;
  };
  EXPECT_LT(bytes_of(encode(ids)), 12.0);
  EXPECT_LT(bytes_of(encode(tags)), 12.0);
}

TEST(TermRecordsTest, GoldenBytes) {
  const auto hex = [](std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text += kDigits[static_cast<unsigned char>(byte) >> 4];
      text += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
  };
  const std::vector<Record> records = encode({{{TermKind::kCategory, "order"}, {5, 6, 9}},
                                              {{TermKind::kCategory, "orders"}, {7}},
                                              {{TermKind::kTag, "a"}, {4}}});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(hex(records[0].key),
            "00000007"
            "63"
            "6f72646572"
            "00"
            "0000000000000005");
  // order: 3 positions, the first one in the key; orders: 1, 2 behind that of the key; "a" of kind 'g': 1, before it.
  EXPECT_EQ(hex(records[0].value).substr(0, hex(records[0].value).size() - 8), "060103617302040267610201");
}

TEST(TermRecordsTest, DamageIsReported) {
  test::Random random("TermRecordsDamage");
  const std::vector<Record> records = encode(random_postings(random));
  for (int round = 0; round < 2'000; ++round) {
    const Record& record = records[random.below(records.size())];
    std::string value = record.value;
    value[random.below(value.size())] ^= static_cast<char>(1u << random.below(8));
    EXPECT_THAT(Decoder::open(record.key, value), fails_with(Errc::kCorruption));
  }
  EXPECT_THAT(Decoder::open("short", records[0].value), fails_with(Errc::kCorruption));
}

// With a right checksum, as a program with a fault would write: nothing is read outside the record.
TEST(TermRecordsTest, WrongContentIsReportedOrHarmless) {
  test::Random random("TermRecordsWrong");
  const std::vector<Record> records = encode(random_postings(random));
  for (int round = 0; round < 20'000; ++round) {
    const Record& record = records[random.below(records.size())];
    std::string payload = record.value.substr(0, record.value.size() - 4);
    for (std::uint64_t changes = random.below(3) + 1; changes > 0; --changes)
      payload[random.below(payload.size())] = static_cast<char>(random.below(256));
    const std::string value = record::seal(record.key, payload);
    auto decoder = Decoder::open(record.key, value);
    ASSERT_THAT(decoder, succeeds());
    for (auto more = decoder->next(); more.ok() && *more; more = decoder->next()) {
      if (const auto positions = decoder->positions(); !positions.ok()) break;
    }
  }
}

}  // namespace
}  // namespace cairn::term_records

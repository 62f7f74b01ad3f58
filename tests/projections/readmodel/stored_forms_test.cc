// The bytes of a read model, as described in docs/format.md.

#include "projections/readmodel/stored_forms.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/projections/readmodel/read_model_fixture.h"

namespace cairn::test {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

std::string sealed(std::string_view key, std::string_view payload) {
  std::string value;
  stored::seal(key, payload, value);
  return value;
}

stored::Parked example() {
  return {.event = {.position = {7},
                    .kind = "script",
                    .message = "no total",
                    .line = 12,
                    .parked_at = {1'700'000'000'000'001},
                    .retries = 2},
          .waiting = 3};
}

TEST(StoredFormsTest, Row) {
  EXPECT_EQ(hex(sealed("ann", R"({"n":1})")),
            "d29c87d6076d76ed"
            "7b226e223a317d");
}

TEST(StoredFormsTest, State) {
  const std::string payload = stored::encode(stored::State{{258}, 3});
  EXPECT_EQ(hex(sealed("state", payload)),
            "26852cd5a506a0d8"
            "0201000000000000"
            "0300000000000000");
  EXPECT_EQ(stored::decode_state(payload)->through, GlobalPosition{258});
  EXPECT_EQ(stored::decode_state(payload)->rows, 3u);
  EXPECT_FALSE(stored::decode_state(payload.substr(1)));
}

TEST(StoredFormsTest, Identity) {
  const auto payload = stored::encode(identity_of_sales());
  ASSERT_THAT(payload, succeeds());
  EXPECT_EQ(*payload, R"({"format":1,"projection":"sales","generation":3,"fingerprint":"f00d",)"
                      R"("storeId":"0191e4a0-0000-7000-8000-000000000000","madeAt":1700000000000001,)"
                      R"("source":"return projection {}"})");
  EXPECT_THAT(stored::decode_identity(*payload), succeeds());
  EXPECT_THAT(stored::decode_identity("{\"format\":2}"), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(stored::decode_identity("{\"format\":1}"), fails_with(Errc::kCorruption));
  EXPECT_THAT(stored::decode_identity("[]"), fails_with(Errc::kCorruption));
  ReadModelIdentity broken = identity_of_sales();
  broken.source = "\xff";
  EXPECT_THAT(stored::encode(broken), fails_with(Errc::kInvalidArgument));
}

TEST(StoredFormsTest, ParkedEntry) {
  const std::string payload = stored::encode(example());
  EXPECT_EQ(hex(payload),
            "07"
            "03"
            "8180f9c0c1c48203"
            "02"
            "0c"
            "06736372697074"
            "086e6f20746f74616c");
  const auto read = stored::decode_parked(payload);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->event.position, GlobalPosition{7});
  EXPECT_EQ(read->event.message, "no total");
  EXPECT_EQ(read->event.parked_at, Timestamp{1'700'000'000'000'001});
  EXPECT_EQ(read->waiting, 3u);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(stored::decode_parked(payload.substr(0, size))) << size;
  }
  EXPECT_FALSE(stored::decode_parked(payload + "x"));
}

TEST(StoredFormsTest, PlacesAndWaitingKeys) {
  EXPECT_EQ(stored::place_key(by_key("ann")), "kann");
  EXPECT_EQ(stored::place_key(by_stream("order-1")), "sorder-1");
  EXPECT_EQ(*stored::decode_place("sorder-1"), by_stream("order-1"));
  EXPECT_FALSE(stored::decode_place(""));
  EXPECT_FALSE(stored::decode_place("xann"));
  const std::string key = stored::waiting_key("kann", {258});
  EXPECT_EQ(hex(key),
            "0004"
            "6b616e6e"
            "0000000000000102");
  EXPECT_EQ(hex(sealed(key, "")), "d89db06ed5283973");
  EXPECT_EQ(stored::decode_waiting_key(key)->place_key, "kann");
  EXPECT_EQ(stored::decode_waiting_key(key)->position, GlobalPosition{258});
  EXPECT_FALSE(stored::decode_waiting_key(key.substr(1)));
  EXPECT_FALSE(stored::decode_waiting_key("k"));
}

TEST(StoredFormsTest, ASealCoversKeyAndBytes) {
  const std::string value = sealed("ann", "payload");
  EXPECT_EQ(stored::unseal("ann", value), "payload");
  EXPECT_EQ(stored::unseal("bob", value), std::nullopt);
  EXPECT_EQ(stored::unseal("ann", value.substr(0, 7)), std::nullopt);
  for (std::size_t bit = 0; bit < value.size() * 8; ++bit) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(stored::unseal("ann", damaged), std::nullopt) << bit;
  }
}

}  // namespace
}  // namespace cairn::test

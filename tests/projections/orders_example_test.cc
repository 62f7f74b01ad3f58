// The projections of examples/orders, over events written with its schemas.

#include <filesystem>

#include "eventstore/base/file.h"
#include "tests/projections/script/script_projection_fixture.h"
#include "tests/schemaregistry/codec/codec_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::filesystem::path kFolder = std::filesystem::path(CAIRN_SOURCE_DIR) / "examples/orders";

std::string text_in(const std::string& file) {
  const auto text = read_file(kFolder / file);
  EXPECT_TRUE(text.ok()) << file;
  return text.ok() ? *text : "";
}

// Applies events of orders to rows, which are looked up by key.
class OrdersExampleTest : public ScriptProjectionTest {
 protected:
  void happened(const std::string& stream, const std::string& type, const std::string& json,
                std::int64_t recorded_at_s = 1'763'376'000) {
    const Codec codec(text_in("schemas/" + type + (type == "OrderPlaced" ? "/3.avsc" : ".avsc")));
    const auto plan = DecodePlan::compile(codec.schema(), codec.schema());
    ASSERT_TRUE(plan.ok());
    const std::string avro = codec.encode(json);
    Given one = given("", type, stream);
    one.event.recorded_at = {recorded_at_s * 1'000'000};
    one.part.data = avro;
    one.part.plan = &*plan;
    const auto [slot, is_new] = slots_.emplace(key_of(one), static_cast<std::uint32_t>(slots_.size()));
    EXPECT_EQ(apply(slot->second, one), "");
    rows().forget_plans();
  }
  void placed(const std::string& stream, const std::string& customer, int cents,
              std::int64_t recorded_at_s = 1'763'376'000, const std::string& currency = "EUR") {
    happened(stream, "OrderPlaced",
             R"({"order_id":")" + stream + R"(","customer_id":")" + customer + R"(","total_cents":)" +
                 std::to_string(cents) + R"(,"currency":")" + currency + R"("})",
             recorded_at_s);
  }

  // The existing rows, by key.
  std::map<std::string, std::string> all_rows() {
    std::map<std::string, std::string> found;
    for (const auto& [key, slot] : slots_) {
      if (std::string json = row(slot); !json.empty()) found.emplace(key, std::move(json));
    }
    return found;
  }

 private:
  std::map<std::string, std::uint32_t> slots_;
};

TEST_F(OrdersExampleTest, CustomerTotals) {
  use(text_in("customer_totals.lua"));
  placed("order-1", "anna", 1'250);
  placed("order-2", "ben", 300);
  placed("order-3", "anna", 800);
  EXPECT_THAT(all_rows(), ElementsAre(Pair("anna", R"({"orders":2,"total_cents":2050})"),
                                      Pair("ben", R"({"orders":1,"total_cents":300})")));
  placed("order-4", "ben", 700, 1'763'376'000, "USD");
  placed("order-5", "ben", 50, 1'763'376'000, "USD");
  placed("order-6", "ben", 1, 1'763'376'000);
  EXPECT_EQ(all_rows()["ben"], R"({"foreign_cents":{"USD":750},"orders":4,"total_cents":301})");
}

TEST_F(OrdersExampleTest, DailyRevenue) {
  use(text_in("daily_revenue.lua"));
  placed("order-1", "anna", 1, 0);
  placed("order-2", "anna", 2, 86'399);
  placed("order-3", "anna", 4, 951'782'400);     // 2000-02-29
  placed("order-4", "anna", 8, 951'868'800);     // the day after
  placed("order-5", "anna", 16, 1'709'164'799);  // the last second of 2024-02-28
  placed("order-6", "anna", 32, 1'709'164'800);
  placed("order-7", "anna", 64, 1'735'689'599);   // the last second of 2024
  placed("order-8", "anna", 128, 4'107'542'400);  // 2100 has no February 29
  EXPECT_THAT(all_rows(), ElementsAre(Pair("1970-01-01 EUR", R"({"orders":2,"revenue_cents":3})"),
                                      Pair("2000-02-29 EUR", R"({"orders":1,"revenue_cents":4})"),
                                      Pair("2000-03-01 EUR", R"({"orders":1,"revenue_cents":8})"),
                                      Pair("2024-02-28 EUR", R"({"orders":1,"revenue_cents":16})"),
                                      Pair("2024-02-29 EUR", R"({"orders":1,"revenue_cents":32})"),
                                      Pair("2024-12-31 EUR", R"({"orders":1,"revenue_cents":64})"),
                                      Pair("2100-03-01 EUR", R"({"orders":1,"revenue_cents":128})")));
}

TEST_F(OrdersExampleTest, OpenOrders) {
  use(text_in("open_orders.lua"));
  placed("order-1", "anna", 1'250);
  placed("order-2", "ben", 300);
  placed("order-3", "anna", 800);
  happened("order-1", "OrderShipped", R"({"order_id":"1","carrier":"post"})");
  happened("order-3", "OrderCancelled", R"({"order_id":"3","reason":"too late"})");
  EXPECT_THAT(
      all_rows(),
      ElementsAre(
          Pair("order-2",
               R"({"currency":"EUR","customer_id":"ben","placed_at":1763376000000000,"total_cents":300})")));
}

}  // namespace
}  // namespace cairn::test

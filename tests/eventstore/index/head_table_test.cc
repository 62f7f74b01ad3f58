#include "eventstore/index/head_table.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn {
namespace {

StreamHead head_at(std::uint64_t position) {
  StreamHead head;
  head.advance({position}, Timestamp{1});
  return head;
}

std::string name(std::uint64_t number) { return "cart-" + std::to_string(number); }

TEST(HeadTableTest, FindsTheHeadThatWasPutLast) {
  HeadTable table;
  EXPECT_EQ(table.find(std::string_view("cart-1")), nullptr);
  table.put(std::string_view("cart-1"), head_at(1));
  table.put(std::string_view("cart-2"), head_at(2));
  table.put(std::string_view("cart-1"), head_at(3));
  ASSERT_NE(table.find(std::string_view("cart-1")), nullptr);
  EXPECT_EQ(table.find(std::string_view("cart-1"))->last_position().value, 3u);
  EXPECT_EQ(table.find(std::string_view("cart-2"))->last_position().value, 2u);
  EXPECT_EQ(table.entries().size(), 2u);
}

TEST(HeadTableTest, NamesKeepTheirAddressesWhileItGrows) {
  HeadTable table;
  const std::string_view first =
      table.put(std::string_view(name(0)), head_at(1)).name;  // a temporary string: the table copies it
  for (std::uint64_t i = 1; i < 10'000; ++i) table.put(std::string_view(name(i)), head_at(i + 1));
  EXPECT_EQ(first, "cart-0");
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const StreamHead* const head = table.find(std::string_view(name(i)));
    ASSERT_NE(head, nullptr) << i;
    EXPECT_EQ(head->last_position().value, i + 1);
  }
}

TEST(HeadTableTest, ReserveKeepsTheEntries) {
  HeadTable table;
  for (std::uint64_t i = 0; i < 100; ++i) table.put(std::string_view(name(i)), head_at(i + 1));
  for (const std::size_t count : {0, 10, 100'000, 50}) table.reserve(count);
  for (std::uint64_t i = 100; i < 200; ++i) table.put(std::string_view(name(i)), head_at(i + 1));
  for (std::uint64_t i = 0; i < 200; ++i) {
    const StreamHead* const head = table.find(std::string_view(name(i)));
    ASSERT_NE(head, nullptr) << i;
    EXPECT_EQ(head->last_position().value, i + 1);
  }
}

}  // namespace
}  // namespace cairn

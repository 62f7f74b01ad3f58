#include "api/net/memory_budget.h"

#include <gtest/gtest.h>

namespace cairn::api {
namespace {

using Grown = MemoryBudget::Grown;

TEST(MemoryBudgetTest, ReservationsAreGivenBack) {
  MemoryBudget budget(100);
  {
    MemoryBudget::Reservation one(budget);
    EXPECT_EQ(one.grow_to(70, 1), Grown::kYes);
    EXPECT_EQ(one.grow_to(30, 1), Grown::kYes);  // no more than before
    MemoryBudget::Reservation other(budget);
    EXPECT_EQ(other.grow_to(31, 2), Grown::kFull);
    EXPECT_EQ(other.grow_to(30, 2), Grown::kYes);
    other.release();
    EXPECT_EQ(other.grow_to(30, 2), Grown::kYes);
  }
  MemoryBudget::Reservation again(budget);
  EXPECT_EQ(again.grow_to(75, 3), Grown::kYes);
}

// A client with many connections is refused before the budget is exhausted for others.
TEST(MemoryBudgetTest, OnlyTheClientThatUsesItUpIsRefused) {
  MemoryBudget budget(100);
  MemoryBudget::Reservation first(budget), second(budget), third(budget), other(budget);
  EXPECT_EQ(first.grow_to(40, 1), Grown::kYes);
  EXPECT_EQ(second.grow_to(35, 1), Grown::kYes);
  EXPECT_EQ(third.grow_to(5, 1), Grown::kOverShare);
  EXPECT_EQ(other.grow_to(20, 2), Grown::kYes);
  first.release();
  EXPECT_EQ(third.grow_to(5, 1), Grown::kYes);
}

}  // namespace
}  // namespace cairn::api

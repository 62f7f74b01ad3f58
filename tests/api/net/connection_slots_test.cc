#include "api/net/connection_slots.h"

#include <gtest/gtest.h>

namespace cairn::api {
namespace {

using Id = ConnectionSlots::Id;

class ConnectionSlotsTest : public ::testing::Test {
 protected:
  // The connection that gives way to the next one; 0 when none does, nullopt when the next one is not taken.
  std::optional<Id> add(ConnectionSlots& slots, const std::string& address = "a") {
    const auto taken = slots.add(++last_, address);
    if (!taken.yes) return std::nullopt;
    return taken.instead_of.value_or(0);
  }
  Id last_ = 0;
};

TEST_F(ConnectionSlotsTest, AtTheLimitTheOldestUnadmittedConnectionGivesWay) {
  ConnectionSlots slots({4, 4, std::nullopt});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(add(slots), 0u);
  slots.admit(1, 1);
  slots.admit(3, 3);
  EXPECT_EQ(add(slots), 2u);
  EXPECT_EQ(add(slots), 4u);
  EXPECT_EQ(add(slots), 5u);
  slots.remove(6);
  EXPECT_EQ(add(slots), 0u);
}

TEST_F(ConnectionSlotsTest, AdmittedConnectionsNeverGiveWay) {
  ConnectionSlots slots({2, 2, std::nullopt});
  add(slots);
  add(slots);
  slots.admit(1, 1);
  slots.admit(2, 2);
  EXPECT_EQ(add(slots), std::nullopt);
  slots.remove(1);
  EXPECT_EQ(add(slots), 0u);
}

TEST_F(ConnectionSlotsTest, AClientWithMoreThanItsShareGivesItsOldestConnection) {
  ConnectionSlots slots({8, 8, std::nullopt});
  for (int i = 0; i < 8; ++i) add(slots);
  for (Id id = 1; id <= 5; ++id) slots.admit(id, 100);
  for (Id id = 6; id <= 8; ++id) slots.admit(id, 200);
  EXPECT_EQ(add(slots), std::nullopt);
  EXPECT_EQ(slots.over_share(), 1u);
  EXPECT_TRUE(slots.remove(1));
  EXPECT_EQ(add(slots), 0u);
  slots.admit(last_, 300);
  EXPECT_EQ(slots.over_share(), 2u) << "four of eight, and three clients";
  slots.remove(2);
  slots.remove(3);
  EXPECT_EQ(slots.over_share(), std::nullopt) << "three quarters are in use";
}

TEST_F(ConnectionSlotsTest, ConnectionsOfClientsWithOneEachStay) {
  ConnectionSlots slots({4, 4, std::nullopt});
  for (Id id = 1; id <= 4; ++id) {
    add(slots);
    slots.admit(id, id);
  }
  EXPECT_EQ(slots.over_share(), std::nullopt);
}

// The server gives the place of a stream whose client does not read to another connection.
TEST_F(ConnectionSlotsTest, APlaceIsGivenAwayOnce) {
  ConnectionSlots slots({2, 2, std::nullopt});
  add(slots);
  add(slots);
  slots.admit(1, 1);
  slots.admit(2, 2);
  EXPECT_TRUE(slots.remove(1));
  EXPECT_FALSE(slots.remove(1));
  EXPECT_EQ(add(slots), 0u);
  slots.admit(1, 1);  // it was not closed after all
  slots.admit(3, 3);
  EXPECT_EQ(add(slots), std::nullopt);
}

TEST_F(ConnectionSlotsTest, APartIsReservedForAdmittedConnections) {
  ConnectionSlots slots({10, 3, std::nullopt});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(add(slots), 0u);
  EXPECT_EQ(add(slots), 1u);
  for (Id id = 2; id <= 4; ++id) slots.admit(id, id);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(add(slots), 0u);
  EXPECT_EQ(add(slots), 5u);
}

TEST_F(ConnectionSlotsTest, AnAddressGivesWayToItself) {
  ConnectionSlots slots({100, 100, 2});
  EXPECT_EQ(add(slots, "other"), 0u);
  EXPECT_EQ(add(slots, "a"), 0u);
  EXPECT_EQ(add(slots, "a"), 0u);
  EXPECT_EQ(add(slots, "a"), 2u);
  EXPECT_EQ(add(slots, "other"), 0u);
  slots.admit(3, 3);
  EXPECT_EQ(add(slots, "a"), 0u) << "an admitted one does not count";
  slots.remove(4);
  EXPECT_EQ(add(slots, "a"), 0u);
  EXPECT_EQ(add(slots, "a"), 6u);
}

TEST_F(ConnectionSlotsTest, AConnectionThatIsAdmittedAfterItGaveWayCounts) {
  ConnectionSlots slots({1, 1, std::nullopt});
  add(slots);
  EXPECT_EQ(add(slots), 1u);
  slots.admit(1, 1);
  slots.admit(2, 2);
  EXPECT_EQ(add(slots), std::nullopt);
  slots.remove(1);
  EXPECT_EQ(add(slots), std::nullopt);
  slots.remove(2);
  EXPECT_EQ(add(slots), 0u);
}

}  // namespace
}  // namespace cairn::api

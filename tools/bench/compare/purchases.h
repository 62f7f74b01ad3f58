#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::bench {

// Purchases of many customers in an order that mixes them, the same for every system, and what a read model
// of them comes to.
struct Purchases {
  std::uint64_t events = 0;
  std::uint64_t customers = 100'000;

  struct Purchase {
    std::uint64_t customer;
    std::int64_t cents;
    std::int64_t quantity;
    std::string order;
    const char* channel;
  };

  static std::string name(std::uint64_t customer) { return "customer-" + std::to_string(customer); }

  // REQUIRES: 7,919 does not divide the number of customers.
  Purchase at(std::uint64_t event) const {
    return {event * 7'919 % customers, static_cast<std::int64_t>(1 + event * 31 % 9'973),
            static_cast<std::int64_t>(1 + event % 12), "0191f3c2-" + std::to_string(1'000'000 + event),
            event % 3 == 0 ? "shop" : "web"};
  }

  struct Totals {
    std::int64_t purchases = 0;
    std::int64_t cents = 0;
    friend bool operator==(const Totals&, const Totals&) = default;
  };

  // By customer.
  std::vector<Totals> totals() const {
    std::vector<Totals> all(customers);
    for (std::uint64_t i = 0; i < events; ++i) {
      const Purchase purchase = at(i);
      ++all[purchase.customer].purchases;
      all[purchase.customer].cents += purchase.cents;
    }
    return all;
  }
};

}  // namespace cairn::bench

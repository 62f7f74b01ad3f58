#pragma once

#include <string>

#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {

// Orders whose second version cannot read the first: they need an upcaster.
class DeployerTest : public UpcastersTest {
 protected:
  void SetUp() override {
    registered("Order", kEuros);
    registered("Order", kCents);
  }

  std::string fingerprint() {
    const auto all = shapes().upcasters().all();
    return all.empty() ? "" : all.front()->fingerprint;
  }
};

}  // namespace cairn::test

#pragma once

#include <string>
#include <utility>

#include "eventstore/verify.h"

namespace cairn {

inline Error verify_given_up() { return make_error(Errc::kFailedPrecondition, "given up half-way"); }

// Collects damage into a report: all of it counted, the first of it told.
class Findings {
 public:
  explicit Findings(VerifyReport& report) : report_(report) {}

  void add(std::string place, std::string what) {
    if (report_.findings.size() < kVerifyFindingsMax)
      report_.findings.push_back({std::move(place), std::move(what)});
    ++report_.damage_count;
  }

 private:
  VerifyReport& report_;
};

}  // namespace cairn

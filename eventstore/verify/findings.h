#pragma once

#include <string>
#include <utility>

#include "eventstore/verify.h"

namespace cairn {

// The error when the progress callback cancels the verification.
inline Error verify_cancelled() {
  return make_error(Errc::kFailedPrecondition, "the verification was cancelled");
}

// Adds damage to a report: counts all of it, and lists the first kVerifyFindingsMax.
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

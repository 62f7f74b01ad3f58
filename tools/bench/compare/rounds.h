#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::bench {

// One system doing one kind of work, and what each of its turns measured.
struct Contender {
  std::string label;  // "PostgreSQL, 64 connections"
  std::string unit;   // "events/s", "µs"
  std::function<Result<double>()> turn;
  std::vector<double> samples = {};
};

// Gives every contender one turn per round. Turns alternate, because the disk or another tenant of the
// machine may be slow for a while, and each round starts with another contender, because the first position
// may have an advantage. Prints each turn on stderr. Fails with the first error, or kFailedPrecondition when
// interrupted().
Status run_rounds(const std::string& work, std::vector<Contender>& contenders, unsigned rounds);

// REQUIRES: at least one sample.
double median(std::vector<double> samples);

// The median over the rounds of `ours` divided by `theirs` of the same round.
double median_ratio(const Contender& ours, const Contender& theirs);

}  // namespace cairn::bench

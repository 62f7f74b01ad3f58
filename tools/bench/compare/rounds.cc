#include "tools/bench/compare/rounds.h"

#include <algorithm>
#include <cstdio>

#include "tools/bench/interrupt.h"

namespace cairn::bench {

Status run_rounds(const std::string& work, std::vector<Contender>& contenders, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = contenders[(i + round) % contenders.size()];
      CAIRN_TRY(const double sample, contender.turn());
      if (interrupted()) return make_error(Errc::kFailedPrecondition, "interrupted");
      std::fprintf(stderr, "%-10s round %u/%u  %-36s %14.1f %s\n", work.c_str(), round + 1, rounds,
                   contender.label.c_str(), sample, contender.unit.c_str());
      contender.samples.push_back(sample);
    }
  }
  return {};
}

double median(std::vector<double> samples) {
  CAIRN_ASSERT(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2;
}

double median_ratio(const Contender& ours, const Contender& theirs) {
  CAIRN_ASSERT(ours.samples.size() == theirs.samples.size(), ours.samples.size(), theirs.samples.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.samples.size(); ++i) ratios.push_back(ours.samples[i] / theirs.samples[i]);
  return median(std::move(ratios));
}

}  // namespace cairn::bench

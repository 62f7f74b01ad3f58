#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace cairn::test {

// The random numbers of one test. Prints its seed; CAIRN_TEST_SEED repeats a run.
class Random {
 public:
  explicit Random(const char* what) : Random(what, chosen_seed()) {}
  Random(const char* what, std::uint64_t seed) : seed_(seed), engine_(seed) {
    std::printf("[   SEED   ] %s: CAIRN_TEST_SEED=%llu\n", what, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  }
  // An independent generator for a thread or a round; prints nothing.
  explicit Random(std::uint64_t seed) : seed_(seed), engine_(seed) {}

  std::uint64_t seed() const { return seed_; }
  std::uint64_t next() { return engine_(); }

  // A number in [0, bound). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  // A number in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  static std::uint64_t chosen_seed() {
    if (const char* given = std::getenv("CAIRN_TEST_SEED")) return std::strtoull(given, nullptr, 10);
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 16) ^ device();
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace cairn::test

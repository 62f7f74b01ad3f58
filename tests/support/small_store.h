#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "eventstore/options.h"

namespace cairn::test {

// The format of new blocks. CAIRN_TEST_LOG_FORMATS=12 means: format 1 in the first store of a process, format
// 2 in the further ones. A log that has blocks of format 2 keeps to that.
inline LogFormat next_log_format() {
  static std::atomic<std::size_t> calls = 0;
  const char* const formats = std::getenv("CAIRN_TEST_LOG_FORMATS");
  if (formats == nullptr) return kNewestLogFormat;
  const std::string_view digits(formats);
  return static_cast<LogFormat>(digits.at(std::min(calls++, digits.size() - 1)) - '0');
}

// Options for tests: small maps, little preallocation.
inline StoreOptions small_store() {
  StoreOptions options;
  options.log_map_bytes = 64u << 20;
  options.index_map_bytes = 64u << 20;
  options.journal_bytes = 64u << 10;
  options.log_format = next_log_format();
  return options;
}

}  // namespace cairn::test

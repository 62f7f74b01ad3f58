#pragma once

#include <cstdint>
#include <string>

namespace cairn::cli {

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t number);

// 1234567 -> "1.2 MiB"
std::string byte_size(std::uint64_t bytes);

}  // namespace cairn::cli

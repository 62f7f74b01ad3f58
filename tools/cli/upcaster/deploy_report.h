#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

// The result of a deployment as text. The arguments are JSON from the server.

// "OrderPlaced 1 → 2: checked 1,234 events, installed as revision 2 (fingerprint abcd1234…)"
std::string deployed_text(std::string_view result);

// Whether a problem, or a registry's error, lists events that an upcaster failed on.
bool lists_failures(std::string_view problem);

// The events that an upcaster failed on: a table of at most `rows_max` of them, and the count of each kind of
// failure. REQUIRES: lists_failures().
std::string failures_text(std::string_view problem, std::size_t rows_max);

// "the upcaster fails on 3 of 1,234 events"
std::string failures_sum(std::string_view problem);

}  // namespace cairn::cli

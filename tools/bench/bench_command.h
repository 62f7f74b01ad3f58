#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cairn::bench {

// Adds `append`, `replay` and `read` to the command line's `bench`. The one that is parsed becomes `action`,
// which prints its measurements to stdout and returns 0, or 1 with the reason on stderr. REQUIRES: `action`
// outlives the parsing.
void add_bench_commands(CLI::App& bench, std::function<int()>& action);

}  // namespace cairn::bench

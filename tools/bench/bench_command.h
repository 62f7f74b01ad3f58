#pragma once

namespace CLI {
class App;
}

namespace cairn::bench {

// Adds `append`, `replay` and `read` to the command line's `bench`. The one that is parsed runs at once,
// prints what it measured to stdout and sets `exit_code`: 0, or 1 with the reason on stderr. REQUIRES:
// `exit_code` outlives the parsing.
void add_bench_commands(CLI::App& bench, int& exit_code);

}  // namespace cairn::bench

#pragma once

namespace CLI {
class App;
}

namespace cairn::cli {

enum class LogFormat { kText, kJson };

// Adds --log-format. REQUIRES: `format` outlives the parsing.
void add_log_format(CLI::App& command, LogFormat& format);

// Makes spdlog write to stderr, one line for each message: control characters are escaped, so that a message
// that quotes a client's input cannot forge a line. Not thread-safe: call it once, before threads are made.
void start_logging(LogFormat format);

}  // namespace cairn::cli

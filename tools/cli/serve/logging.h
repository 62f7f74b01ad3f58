#pragma once

namespace cairn::cli {

enum class LogFormat { kText, kJson };

// From now on spdlog writes to stderr, one line for each message, whatever the message contains: control
// characters are escaped, so that nobody can forge a line. Call it once, before threads are made.
void start_logging(LogFormat format);

}  // namespace cairn::cli

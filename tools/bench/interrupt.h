#pragma once

namespace cairn::bench {

// Makes SIGINT and SIGTERM end the benchmark cleanly: servers are stopped and folders removed. A second
// signal ends the process at once. Not thread-safe: call it before any thread is made.
void watch_interrupts();

// Whether such a signal has arrived. Thread-safe.
bool interrupted();

}  // namespace cairn::bench

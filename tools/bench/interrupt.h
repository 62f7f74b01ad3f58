#pragma once

namespace cairn::bench {

// From now on SIGINT and SIGTERM end the benchmark in order, so that servers are stopped and folders removed;
// a second one ends the process at once. Call it before any thread is made.
void watch_interrupts();

// Whether such a signal has come. Any thread.
bool interrupted();

}  // namespace cairn::bench

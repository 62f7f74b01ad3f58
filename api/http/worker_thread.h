#pragma once

#include <cstddef>

#include "api/http/worker_pool.h"

namespace cairn::api {

// One thread that does work which would hold up the threads of the server, in the order it was given: one
// piece is done before the next begins.
class WorkerThread : public WorkerPool {
 public:
  explicit WorkerThread(std::size_t waiting_max) : WorkerPool(1, waiting_max) {}
};

}  // namespace cairn::api

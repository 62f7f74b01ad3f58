#include "projections/engine/engine_parts.h"

#include <utility>

#include "eventstore/base/assert.h"

namespace cairn {

namespace {

Status start_part(const EnginePart& part) {
  if (!part.start) return {};
  Status started = part.start();
  if (started.ok()) return started;
  Error error = std::move(started).error();
  error.message = part.name + ": " + error.message;
  return error;
}

}  // namespace

void EngineParts::add(EnginePart part) {
  CAIRN_ASSERT(!running_, part.name);
  parts_.push_back(std::move(part));
}

Status EngineParts::start() {
  CAIRN_ASSERT(!running_);
  running_ = true;
  for (const EnginePart& part : parts_) {
    if (Status started = start_part(part); !started.ok()) {
      stop();
      return started;
    }
    ++started_;
  }
  return {};
}

void EngineParts::stop() {
  running_ = false;
  while (started_ > 0) {
    --started_;
    if (const auto& stop = parts_[started_].stop) stop();
  }
}

}  // namespace cairn

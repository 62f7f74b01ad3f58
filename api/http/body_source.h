#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cairn::api {

// An answer's body that is made while it is sent, piece by piece, so that it may be larger than memory or
// never end. One thread at a time, except where it says otherwise.
class BodySource {
 public:
  enum class Piece {
    kMore,    // there is more at once
    kWait,    // there may be more later
    kEnd,     // that was all
    kFailed,  // the rest cannot be had; the client must be able to tell
  };

  virtual ~BodySource() = default;

  // Appends the next bytes, perhaps none. About as many as a socket takes at once: they are held in memory
  // until the client has taken them. REQUIRES: neither kEnd nor kFailed was returned before.
  virtual Piece next(std::string& to) = 0;

  // After kWait: calls `ready` once when next() may have more, from any thread, perhaps from this one.
  virtual void when_ready(std::function<void()> ready) = 0;

  // After this returns the callback of when_ready() is not running and never will.
  virtual void stop_waiting() = 0;

  // What is sent when there was nothing else for a while, so that both sides know the other is alive.
  virtual std::string_view sign_of_life() const = 0;
};

}  // namespace cairn::api

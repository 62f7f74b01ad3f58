#pragma once

#include <chrono>
#include <cstddef>

namespace cairn::api {

// What one client may ask of the server, so that a slow, broken or hostile one hurts only itself.
struct ServerLimits {
  std::size_t head_bytes_max = 16u << 10;  // request line and headers
  std::size_t target_bytes_max = 8'000;    // path and query; the HTTP library takes lines up to 8,192
  std::size_t headers_max = 100;
  std::size_t body_bytes_max = 16u << 20;

  // From a request's first byte.
  std::chrono::milliseconds head_time_max{10'000};
  std::chrono::milliseconds request_time_max{30'000};

  // From an answer's first byte to the first byte of the next request: taking the answer and being idle.
  std::chrono::milliseconds idle_time_max{60'000};

  // How long what a refused client still sends is read and thrown away. Closing at once would reset the
  // connection, and the client might never see why it was refused.
  std::chrono::milliseconds linger_time_max{1'000};

  // How long a stream is silent before a sign of life is sent.
  std::chrono::milliseconds sign_of_life_every{15'000};

  // Further connections are told "overloaded" and closed. An idle one costs about 20 KiB.
  std::size_t connections_max = 4'096;

  // All request bodies being received or answered at one moment.
  std::size_t bodies_bytes_max = 256u << 20;

  // All answers being sent at one moment; those that are small are not counted.
  std::size_t answers_bytes_max = 512u << 20;
  std::size_t small_answer_bytes_max = 64u << 10;
};

}  // namespace cairn::api

#pragma once

#include <chrono>
#include <cstddef>

namespace cairn::api {

// Limits for each client and for all together, so that a slow, broken or hostile client does not affect the
// others.
struct ServerLimits {
  std::size_t head_bytes_max = 16u << 10;  // request line and headers
  std::size_t target_bytes_max = 8'000;    // path and query
  std::size_t headers_max = 100;
  std::size_t body_bytes_max = 16u << 20;

  // From accepting a connection to the first byte of its first request, with the TLS handshake.
  std::chrono::milliseconds first_request_time_max{5'000};

  // From the first byte of a request.
  std::chrono::milliseconds head_time_max{10'000};
  std::chrono::milliseconds request_time_max{30'000};

  // From the first byte of an answer to the first byte of the next request: receiving the answer, and idling.
  std::chrono::milliseconds idle_time_max{60'000};

  // What the answer to one request may take, once the request has arrived.
  std::chrono::milliseconds answer_cpu_max{2'000};
  std::chrono::milliseconds check_cpu_max{10'000};  // instead, where schemas are compared
  std::chrono::milliseconds answer_time_max{30'000};

  // A body above this size is parsed and encoded on a worker: below it takes less than a millisecond.
  std::size_t large_body_bytes = 64u << 10;

  // How long the server reads and discards what a refused client still sends. Closing at once would reset the
  // connection, and the client might never see the refusal.
  std::chrono::milliseconds linger_time_max{1'000};

  // The time between two heartbeats of a stream.
  std::chrono::milliseconds heartbeat_interval{15'000};

  // A further connection takes the place of the oldest one that has shown no valid token; when there is none,
  // that of a stream whose client does not read; when there is none either, it gets 503. An idle connection
  // costs about 20 KiB.
  std::size_t connections_max = 4'096;

  // Connections that have shown no valid token: the rest is reserved for those that have. From one address
  // (IPv6: one /64) as many as a proxy or a crowd behind one router opens at once; not limited without tokens,
  // where all clients are on this machine.
  std::size_t unadmitted_connections_max = 3'072;
  std::size_t unadmitted_per_address_max = 256;

  // All request bodies that are being received or answered.
  std::size_t bodies_bytes_max = 256u << 20;

  // All answers that are being sent. Answers up to small_answer_bytes_max are not counted.
  std::size_t answers_bytes_max = 512u << 20;
  std::size_t small_answer_bytes_max = 64u << 10;

  // A stream whose client has taken nothing for so long is closed before another client is refused for want of
  // memory or connections. Longer than a client that reads leaves its socket full: a pause to collect garbage,
  // a lost packet. The kernel reports progress after about 170 KiB, so that a client that takes less in this
  // time counts as one that takes nothing.
  std::chrono::milliseconds blocked_send_min{1'000};

  // Answers that wait for the memory of such streams, and how long. A stream is closed within microseconds
  // unless its thread is busy.
  std::size_t waiting_answers_bytes_max = 64u << 20;
  std::chrono::milliseconds answer_wait_max{1'000};
};

}  // namespace cairn::api

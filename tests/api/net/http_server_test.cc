#include "api/net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/http/browser_origins.h"
#include "tests/api/raw_client.h"
#include "tests/support/matchers.h"

namespace cairn::api {
namespace {

using namespace std::chrono_literals;
using test::fails_with;
using test::RawClient;
using test::RawResponse;
using test::succeeds;

// Is woken again and again and never has anything to send, as a follower whose filter matches nothing.
class RestlessSource final : public BodySource {
 public:
  Piece next(std::string&, WorkBudget&) override { return ++calls_ % 2 == 0 ? Piece::kMore : Piece::kWait; }
  void when_ready(std::function<void()> ready) override { ready(); }
  void stop_waiting() override {}
  std::string_view heartbeat() const override { return "beat"; }

 private:
  int calls_ = 0;
};

std::string this_thread_name() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

// Its pieces take long, and consist of the name of the thread that made them.
class LongSource final : public BodySource {
 public:
  Piece next(std::string& to, WorkBudget&) override {
    to = this_thread_name() + "\n";
    return ++calls_ == 3 ? Piece::kEnd : Piece::kMore;
  }
  bool may_take_long() const override { return calls_ < 2; }
  void when_ready(std::function<void()>) override {}
  void stop_waiting() override {}
  std::string_view heartbeat() const override { return ""; }

 private:
  int calls_ = 0;
};

// Searches for something that it never finds: each piece takes all that it may. Sends how each of the first two
// pieces ended, and then nothing more.
class SearchSource final : public BodySource {
 public:
  explicit SearchSource(std::function<void(int change)> searching) : searching_(std::move(searching)) {}

  Piece next(std::string& to, WorkBudget& budget) override {
    searching_(+1);
    while (budget.charge(100)) {
    }
    searching_(-1);
    if (++calls_ > 2) return Piece::kMore;
    to += budget.end() == WorkEnd::kCpu ? "cpu;" : "other;";
    return Piece::kMore;
  }
  bool may_take_long() const override { return true; }
  void when_ready(std::function<void()>) override {}
  void stop_waiting() override {}
  std::string_view heartbeat() const override { return ""; }

 private:
  const std::function<void(int)> searching_;
  int calls_ = 0;
};

constexpr std::size_t kMebibyte = 1u << 20;

// Pieces of a mebibyte, more than the sockets of a client that does not read take.
class BulkSource final : public BodySource {
 public:
  BulkSource(int pieces, std::atomic<int>& made) : left_(pieces), made_(made) {}

  Piece next(std::string& to, WorkBudget&) override {
    to.append(kMebibyte, 'x');
    ++made_;
    return --left_ == 0 ? Piece::kEnd : Piece::kMore;
  }
  void when_ready(std::function<void()>) override {}
  void stop_waiting() override {}
  std::string_view heartbeat() const override { return ""; }

 private:
  int left_;
  std::atomic<int>& made_;
};

struct CountingObserver final : RequestObserver {
  void cancelled() override { ++cancelled_count; }
  void stream_closed() override { ++streams_closed; }
  void answered(const Route*, int, std::chrono::nanoseconds) override {}
  std::atomic<int> cancelled_count = 0;
  std::atomic<int> streams_closed = 0;
};

// A server with routes that misbehave, and with low limits.
class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    options_.address = {"127.0.0.1", 0};
    options_.threads = 1;  // One thread, so that a route that blocks it blocks all connections.
    options_.limits.linger_time_max = 200ms;
  }
  ~HttpServerTest() override {
    kept_.clear();
    server_.reset();
  }

  RawClient client() {
    if (!server_) {
      auto server = HttpServer::start(options_, Router(routes()));
      EXPECT_THAT(server, succeeds());
      server_ = *std::move(server);
    }
    return RawClient(server_->address().port);
  }

  void expect_healthy() {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(client().get("/health").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  }

  // The status of the problem that these bytes get; the connection must be closed after it.
  int refusal_of(const std::string& bytes) {
    RawClient c = client();
    const RawResponse response = c.exchange(bytes);
    EXPECT_TRUE(response.has("application/problem+json")) << response.head;
    EXPECT_TRUE(response.has("Connection: close")) << response.head;
    EXPECT_EQ(nlohmann::json::parse(response.body)["status"], response.status);
    EXPECT_TRUE(c.is_closed());
    expect_healthy();
    return response.status;
  }

  Responder next_kept() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(arrived_.wait_for(lock, RawClient::kPatience, [this] { return !kept_.empty(); }));
    Responder responder = kept_.front();
    kept_.erase(kept_.begin());
    return responder;
  }

  std::vector<Route> routes() {
    return {
        {"GET", "/health",
         [](const HttpRequest&, const Responder& respond) { respond(json_response(200, "{}")); }},
        {"GET", "/open",
         [](const HttpRequest&, const Responder& respond) { respond(json_response(200, "{}")); },
         std::nullopt},
        {"GET", "/page",
         [](const HttpRequest&, const Responder& respond) { respond(json_response(200, "{}")); },
         Scope::kRead, Dialect::kProblem, true},
        {"POST", "/echo",
         [](const HttpRequest& request, const Responder& respond) {
           respond(json_response(200, std::string(request.body)));
         }},
        {"GET", "/query/{name}",
         [](const HttpRequest& request, const Responder& respond) {
           std::string found = request.parameters.at("name");
           for (const auto& [key, value] : request.query) found += "|" + key + "=" + value;
           respond(json_response(200, found + "|" + std::string(request.header("x-test").value_or("none"))));
         }},
        {"GET", "/restless",
         [](const HttpRequest&, const Responder& respond) {
           HttpResponse response;
           response.stream = std::make_shared<RestlessSource>();
           respond(std::move(response));
         }},
        {"GET", "/throw", [](const HttpRequest&, const Responder&) { throw std::runtime_error("a secret"); }},
        {"GET", "/forget", [](const HttpRequest&, const Responder&) {}},
        {"GET", "/spin",
         [this](const HttpRequest&, const Responder& respond) {
           ++spinning_;
           arrived_.notify_all();
           while (respond.budget().charge(100)) {
           }
           --spinning_;
           arrived_.notify_all();
           const bool cancelled = respond.budget().end() == WorkEnd::kCancelled;
           respond(Problem(503, cancelled ? "cancelled" : "budget-exceeded", "", "").to_response());
         },
         Scope::kRead, Dialect::kProblem, false, RunsOn::kWorker},
        {"POST", "/thread",
         [](const HttpRequest&, const Responder& respond) {
           respond(json_response(200, this_thread_name()));
         },
         Scope::kRead, Dialect::kProblem, false, RunsOn::kWorkerIfLarge},
        {"GET", "/pieces",
         [](const HttpRequest&, const Responder& respond) {
           HttpResponse response;
           response.stream = std::make_shared<LongSource>();
           respond(std::move(response));
         }},
        {"GET", "/search",
         [this](const HttpRequest&, const Responder& respond) {
           HttpResponse response;
           response.stream = std::make_shared<SearchSource>([this](int change) {
             spinning_ += change;
             arrived_.notify_all();
           });
           respond(std::move(response));
         }},
        {"GET", "/bulk/{pieces}",
         [this](const HttpRequest& request, const Responder& respond) {
           HttpResponse response;
           response.stream =
               std::make_shared<BulkSource>(std::stoi(request.parameters.at("pieces")), pieces_made_);
           respond(std::move(response));
         }},
        {"GET", "/mebibyte",
         [](const HttpRequest&, const Responder& respond) {
           respond(json_response(200, std::string(kMebibyte, 'x')));
         }},
        {"GET", "/large",
         [](const HttpRequest&, const Responder& respond) {
           respond(json_response(200, std::string(64u << 20, 'x')));
         }},
        {"GET", "/later", [this](const HttpRequest&, const Responder& respond) {
           std::lock_guard lock(mutex_);
           kept_.push_back(respond);
           arrived_.notify_all();
         }}};
  }

  // Waits until so many requests of /spin, or pieces of /search, are being worked on.
  void expect_spinning(int count) {
    std::unique_lock lock(mutex_);
    while (spinning_ != count && std::chrono::steady_clock::now() < patience_end_)
      arrived_.wait_for(lock, 10ms);
    EXPECT_EQ(spinning_, count);
  }

  ServerOptions options_;
  CountingObserver observer_;
  std::atomic<int> spinning_ = 0;
  std::atomic<int> pieces_made_ = 0;  // of /bulk
  const std::chrono::steady_clock::time_point patience_end_ =
      std::chrono::steady_clock::now() + RawClient::kPatience;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Responder> kept_;
  std::unique_ptr<HttpServer> server_;
};

std::string post(std::size_t length, const std::string& body) {
  return "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
         body;
}

TEST_F(HttpServerTest, RequestsReachTheirRoute) {
  RawClient c = client();
  EXPECT_EQ(c.exchange(post(5, "hello")).body, "hello");
  const auto response =
      c.exchange("GET /query/a%20b?x=1&y=%2F+z HTTP/1.1\r\nHost: localhost\r\nX-Test: 100%41\r\n\r\n");
  EXPECT_EQ(response.body, "a b|x=1|y=/ z|100%41");
  EXPECT_EQ(c.get("/nowhere").status, 404);
  EXPECT_EQ(c.get("/echo").status, 405);
  EXPECT_EQ(c.get("/health?a=1?b=2").status, 400);
}

constexpr const char* kSpin = "GET /spin HTTP/1.1\r\nHost: localhost\r\n\r\n";

// Long work runs on workers. While all of them are busy, connections are accepted and short requests answered.
TEST_F(HttpServerTest, LongWorkDoesNotHoldConnectionThreads) {
  options_.limits.answer_cpu_max = 1h;
  options_.limits.answer_time_max = 1h;
  std::vector<RawClient> busy;
  for (int i = 0; i < 8; ++i) {
    busy.push_back(client());
    busy.back().send(kSpin);
  }
  expect_spinning(1);  // The server has one worker here.
  for (int i = 0; i < 20; ++i) expect_healthy();
}

TEST_F(HttpServerTest, WorkEndsWhenItsClientLeaves) {
  options_.limits.answer_cpu_max = 1h;
  options_.limits.answer_time_max = 1h;
  options_.observer = &observer_;
  {
    RawClient c = client();
    c.send(kSpin);
    expect_spinning(1);
  }
  expect_spinning(0);
  EXPECT_EQ(observer_.cancelled_count, 1);
  EXPECT_EQ(client().exchange("POST /thread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").body,
            "cairn-http-0");
}

TEST_F(HttpServerTest, WorkEndsWithItsBudget) {
  options_.limits.answer_cpu_max = 20ms;
  const RawResponse of_cpu = client().exchange(kSpin);
  EXPECT_EQ(of_cpu.status, 503);
  EXPECT_THAT(of_cpu.body, testing::HasSubstr("budget-exceeded"));
}

// Whatever runs: work that ignores the time that clients are given would run for an hour here.
TEST_F(HttpServerTest, StoppingEndsLongWork) {
  options_.limits.answer_cpu_max = 1h;
  options_.limits.answer_time_max = 1h;
  RawClient running = client(), waiting = client();
  running.send(kSpin);
  expect_spinning(1);
  waiting.send(kSpin);
  server_->stop(0ms);
  EXPECT_EQ(spinning_, 0);
}

constexpr const char* kSearch = "GET /search HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(HttpServerTest, EachPieceOfAStreamHasTheBudgetOfARequest) {
  options_.limits.answer_cpu_max = 20ms;
  RawClient c = client();
  c.send(kSearch);
  EXPECT_TRUE(c.receives("cpu;"));
  EXPECT_TRUE(c.receives("cpu;")) << "a piece that has taken all it may does not end the stream";
  expect_healthy();
}

// A search that finds nothing sends nothing, and would not notice by itself that its client is gone.
TEST_F(HttpServerTest, ThePieceOfAStreamEndsWhenItsClientLeaves) {
  options_.limits.answer_cpu_max = 1h;
  options_.limits.answer_time_max = 1h;
  options_.observer = &observer_;
  {
    RawClient c = client();
    c.send(kSearch);
    expect_spinning(1);
  }
  expect_spinning(0);
  server_->stop(RawClient::kPatience);
  EXPECT_EQ(observer_.cancelled_count, 1);
}

TEST_F(HttpServerTest, AStreamWithoutItsClientMakesNoMorePieces) {
  options_.limits.answer_cpu_max = 5ms;
  options_.observer = &observer_;
  {
    RawClient c = client();
    c.send(kSearch);
    EXPECT_TRUE(c.receives("cpu;"));
    EXPECT_TRUE(c.receives("cpu;"));
  }
  const auto began = std::chrono::steady_clock::now();
  server_->stop(RawClient::kPatience);  // Returns as soon as the connection is gone.
  EXPECT_LT(std::chrono::steady_clock::now() - began, RawClient::kPatience);
  EXPECT_EQ(observer_.cancelled_count, 1);
}

TEST_F(HttpServerTest, StoppingEndsThePieceOfAStream) {
  options_.limits.answer_cpu_max = 1h;
  options_.limits.answer_time_max = 1h;
  RawClient c = client();
  c.send(kSearch);
  expect_spinning(1);
  server_->stop(0ms);
  EXPECT_EQ(spinning_, 0);
}

TEST_F(HttpServerTest, LargeBodiesAndLongPiecesAreHandledByWorkers) {
  const auto thread_of = [this](std::size_t bytes) {
    return client()
        .exchange("POST /thread HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(bytes) +
                  "\r\n\r\n" + std::string(bytes, 'x'))
        .body;
  };
  EXPECT_EQ(thread_of(options_.limits.large_body_bytes), "cairn-http-0");
  EXPECT_EQ(thread_of(options_.limits.large_body_bytes + 1), "cairn-work");
  RawClient c = client();
  c.send("GET /pieces HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(c.rest(), testing::EndsWith("cairn-work\ncairn-work\ncairn-http-0\n"));
}

// DNS rebinding: a page in a browser on this machine, whose own name resolves to 127.0.0.1, must be refused.
TEST_F(HttpServerTest, OnlyLoopbackHostsAreAdmitted) {
  for (const char* host :
       {"localhost", "LOCALHOST:80", "127.0.0.1:7878", "127.9.9.9:65535", "[::1]:7878", "[::1]"}) {
    EXPECT_EQ(client().exchange("GET /health HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").status,
              200)
        << host;
  }
  for (const char* host :
       {"example.com", "localhost.example.com", "10.0.0.1:7878", "", "[::1", "0x7f.1", "[::1].example.com",
        "[::1]x:80", "[::1]80", "localhost:", "localhost:http", "localhost:0", "localhost:65536",
        "localhost:+80", "localhost:80:80", "127.0.0.1:80@example.com", "[::1]:8x"}) {
    EXPECT_EQ(client().exchange("GET /health HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n").status,
              403)
        << host;
  }
}

TEST_F(HttpServerTest, RequestsOfPagesOfOtherSitesAreRefused) {
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}) {
    for (const char* headers :
         {"Sec-Fetch-Site: cross-site\r\n", "sec-fetch-site: same-site\r\n",
          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
          "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n",
          "Origin: http://localhost:3000\r\n", "Origin: http://localhost.evil.example\r\n",
          "Origin: null\r\n", "Origin: \r\n", "Origin: localhost\r\n",
          "Origin: http://localhost\r\nOrigin: http://evil.example\r\n"}) {
      SCOPED_TRACE(std::string(method) + " " + headers);
      RawClient c = client();
      c.send(std::string(method) + " /health HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
      const RawResponse response = c.receive();
      EXPECT_EQ(response.status, 403);
      EXPECT_FALSE(response.has("Access-Control-")) << response.head;
    }
  }
}

TEST_F(HttpServerTest, RequestsOfTheServersOwnPagesAndOfProgramsAreAdmitted) {
  for (const char* headers :
       {"", "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n", "Origin: http://localhost\r\n",
        "Origin: HTTPS://LOCALHOST\r\n", "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n"}) {
    EXPECT_EQ(client()
                  .exchange("GET /health HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n")
                  .status,
              200)
        << headers;
  }
}

TEST_F(HttpServerTest, OnlyNavigationsReachPagesFromOtherSites) {
  const auto status = [this](const std::string& method, const std::string& path, const std::string& headers) {
    RawClient c = client();
    c.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    return c.receive(method != "HEAD").status;
  };
  const std::string link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
  EXPECT_EQ(status("GET", "/page", link), 200);
  EXPECT_EQ(status("HEAD", "/page", link), 403);
  EXPECT_EQ(status("GET", "/page", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), 403);
  EXPECT_EQ(status("GET", "/page", link + "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status("GET", "/health", link), 403);
}

TEST_F(HttpServerTest, PagesOfNamedOriginsMayReadAndWrite) {
  options_.cors_origins = {*parse_origin("https://App.Example:443"), *parse_origin("http://localhost:3000")};
  const std::string page = "Sec-Fetch-Site: cross-site\r\nOrigin: https://app.example\r\n";
  const auto ask = [&](const std::string& line, const std::string& more) {
    return client().exchange(line + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
  };
  const std::string allowed = "Access-Control-Allow-Origin: https://app.example\r\n";
  const RawResponse read = ask("GET /health", page);
  EXPECT_EQ(read.status, 200);
  EXPECT_TRUE(read.has(allowed) && read.has("Vary: Origin\r\n")) << read.head;
  EXPECT_TRUE(
      read.has("Access-Control-Expose-Headers: Allow, Retry-After, WWW-Authenticate, X-Request-Id\r\n"))
      << read.head;
  const RawResponse missing = ask("GET /nowhere", page);
  EXPECT_EQ(missing.status, 404);
  EXPECT_TRUE(missing.has(allowed)) << missing.head;
  const RawResponse too_large = ask("POST /echo", page + "Content-Length: 99999999\r\n");
  EXPECT_EQ(too_large.status, 413);
  EXPECT_TRUE(too_large.has(allowed)) << too_large.head;
  const RawResponse asked = ask("OPTIONS /echo", page + "Access-Control-Request-Method: POST\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_TRUE(asked.has(allowed) &&
              asked.has("Access-Control-Allow-Methods: GET, HEAD, POST, PUT, DELETE\r\n") &&
              asked.has("Access-Control-Allow-Headers: Accept, Authorization, Content-Type, Last-Event-ID, "
                        "traceparent, X-Request-Id\r\n") &&
              asked.has("Access-Control-Max-Age: 600\r\n"))
      << asked.head;
  EXPECT_EQ(ask("OPTIONS /echo", page).status, 405) << "no preflight";
  EXPECT_EQ(ask("GET /health", "Sec-Fetch-Site: cross-site\r\n").status, 403) << "it does not say from where";
  EXPECT_EQ(ask("GET /health", "Origin: http://app.example\r\n").status, 403);
  EXPECT_FALSE(ask("GET /health", "").has("Access-Control-"));
}

TEST_F(HttpServerTest, HeadHasTheLengthAndNoBody) {
  RawClient c = client();
  c.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto response = c.receive(false);
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.has("Content-Length: 2\r\n")) << response.head;
  EXPECT_EQ(c.get("/health").body, "{}");
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  RawClient c = client();
  std::string all;
  for (int i = 0; i < 100; ++i) all += post(3, std::to_string(100 + i));
  c.send(all);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(c.receive().body, std::to_string(100 + i));
}

TEST_F(HttpServerTest, RequestsMayArriveByteByByte) {
  RawClient c = client();
  for (const char byte : "\r\n" + post(5, "hello")) ASSERT_TRUE(c.send({&byte, 1}));
  EXPECT_EQ(c.receive().body, "hello");
}

TEST_F(HttpServerTest, ConnectionCloseIsHonoured) {
  RawClient c = client();
  const auto response = c.exchange("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(response.has("Connection: close"));
  EXPECT_TRUE(c.is_closed());
}

TEST_F(HttpServerTest, ExpectContinueIsAnsweredBeforeTheBody) {
  RawClient c = client();
  c.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(c.receive().status, 100);
  EXPECT_EQ(c.exchange("ok").body, "ok");
}

TEST_F(HttpServerTest, LargestBodyIsAccepted) {
  const std::string body(options_.limits.body_bytes_max, 'b');
  EXPECT_TRUE(client().exchange(post(body.size(), body)).body == body);
}

TEST_F(HttpServerTest, ExceptionsAre500WithoutTheirText) {
  RawClient c = client();
  const auto response = c.get("/throw");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(nlohmann::json::parse(response.body)["type"], "/problems/internal-error");
  EXPECT_EQ((response.head + response.body).find("secret"), std::string::npos);
  EXPECT_EQ(c.get("/health").status, 200);
}

TEST_F(HttpServerTest, AHandlerThatNeverAnswersIs500) { EXPECT_EQ(client().get("/forget").status, 500); }

TEST_F(HttpServerTest, WaitingForAnAnswerBlocksNoThread) {
  std::vector<RawClient> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(client());
    waiting.back().send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  expect_healthy();
  std::thread answering([this] {
    for (int i = 0; i < 20; ++i) next_kept()(json_response(200, "late"));
  });
  for (RawClient& c : waiting) EXPECT_EQ(c.receive().body, "late");
  answering.join();
}

TEST_F(HttpServerTest, MalformedRequestsAreRefused) {
  EXPECT_EQ(refusal_of("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of(std::string("\x16\x03\x01\x00\xff", 5) + "\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
}

TEST_F(HttpServerTest, AmbiguousLengthsAreRefused) {
  const std::string begin = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(refusal_of(begin + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), 411);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), 400);
  EXPECT_EQ(refusal_of(begin + "Content-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello"), 415);
}

TEST_F(HttpServerTest, OversizedRequestsAreRefused) {
  EXPECT_EQ(refusal_of(post(64u << 20, "")), 413);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(8u << 20, 'x')), 431);
  EXPECT_EQ(refusal_of("GET /" + std::string(10'000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 414);
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 100; ++i) many += "A: b\r\n";
  EXPECT_EQ(refusal_of(many + "\r\n"), 431);
}

TEST_F(HttpServerTest, SlowHeadIsRefused) {
  options_.limits.head_time_max = 100ms;
  EXPECT_EQ(refusal_of("GET /hea"), 408);
}

TEST_F(HttpServerTest, SlowBodyIsRefused) {
  options_.limits.request_time_max = 100ms;
  EXPECT_EQ(refusal_of(post(10, "half")), 408);
}

TEST_F(HttpServerTest, SendingSlowlyDoesNotExtendTheDeadline) {
  options_.limits.head_time_max = 300ms;
  options_.limits.linger_time_max = 50ms;
  RawClient c = client();
  const auto began = std::chrono::steady_clock::now();
  while (!c.readable_within(10ms) && c.send("x")) {
  }
  EXPECT_EQ(c.receive().status, 408);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

TEST_F(HttpServerTest, IdleConnectionsAreClosedWithoutAnAnswer) {
  options_.limits.idle_time_max = 100ms;
  RawClient c = client();
  EXPECT_EQ(c.get("/health").status, 200);
  EXPECT_TRUE(c.is_closed());
}

TEST_F(HttpServerTest, ClientsThatDoNotReadTheirAnswerAreDisconnected) {
  options_.limits.idle_time_max = 200ms;
  RawClient c = client();
  c.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(c.readable_within(RawClient::kPatience));
  const auto began = std::chrono::steady_clock::now();
  server_->stop(RawClient::kPatience);  // Returns as soon as the connection is gone.
  EXPECT_LT(std::chrono::steady_clock::now() - began, RawClient::kPatience);
  EXPECT_EQ(c.receive().status, 0);
}

TEST_F(HttpServerTest, HeartbeatsGoByTheClockAndNotBySilence) {
  options_.limits.heartbeat_interval = 500ms;  // A busy machine halts the server for less, and not twice.
  RawClient c = client();
  c.send("GET /restless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(c.receive().status, 200);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(c.receives("4\r\nbeat\r\n")) << i;
  expect_healthy();
}

TEST_F(HttpServerTest, ManyIdleConnectionsDoNotBlockOthers) {
  std::vector<RawClient> idle;
  for (int i = 0; i < 500; ++i) {
    idle.push_back(client());
    if (i % 2 == 0) idle.back().send("GET /hea");
  }
  expect_healthy();
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitGet503) {
  options_.limits.connections_max = 2;
  RawClient first = client();
  RawClient second = client();
  EXPECT_EQ(first.get("/health").status, 200);
  EXPECT_EQ(second.get("/health").status, 200);
  RawClient third = client();
  const auto response = third.receive();
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.has("Retry-After: 1")) << response.head;
  EXPECT_EQ(first.get("/health").status, 200);
}

TEST_F(HttpServerTest, BodiesShareOneMemoryBudget) {
  options_.limits.bodies_bytes_max = 1u << 20;
  EXPECT_EQ(refusal_of(post(2u << 20, std::string(2u << 20, 'b'))), 429);  // this client alone uses it up
  const std::string small(1u << 19, 'b');
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(client().exchange(post(small.size(), small)).body == small);
}

// Otherwise clients without a token fill the budget of all bodies through a path that needs neither.
TEST_F(HttpServerTest, TheBodyOfARequestThatNeedsNoneIsNotReceived) {
  options_.limits.bodies_bytes_max = 1u << 20;
  options_.limits.request_time_max = RawClient::kPatience;
  const std::string length = "Content-Length: " + std::to_string(1u << 20) + "\r\n\r\n";
  std::vector<RawClient> unfinished;
  for (const char* line : {"GET /health", "DELETE /health", "POST /nowhere", "OPTIONS /echo", "GET /open"}) {
    for (int i = 0; i < 4; ++i) {
      unfinished.push_back(client());
      unfinished.back().send(std::string(line) + " HTTP/1.1\r\nHost: localhost\r\n" + length +
                             std::string(100u << 10, 'b'));
    }
  }
  for (RawClient& c : unfinished) {
    const RawResponse response = c.receive();
    EXPECT_NE(response.status, 0);
    EXPECT_NE(response.status, 408);
    EXPECT_TRUE(response.has("Connection: close")) << response.head;
  }
  const std::string body(3u << 18, 'b');  // as much as one client may have when it is alone
  EXPECT_TRUE(client().exchange(post(body.size(), body)).body == body);
}

TEST_F(HttpServerTest, ABodyThatIsNotNeededAndArrivesWithTheHeadKeepsTheConnection) {
  RawClient c = client();
  const RawResponse response =
      c.exchange("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nnull");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.has("Connection: keep-alive")) << response.head;
  EXPECT_EQ(c.get("/health").status, 200);
}

TEST_F(HttpServerTest, NoBodyIsReceivedBeforeAdmission) {
  options_.tokens.emplace(std::vector<Token>{});
  options_.limits.request_time_max = RawClient::kPatience;
  RawClient c = client();
  c.send(post(16u << 20, std::string(1u << 20, 'b')));
  EXPECT_EQ(c.receive().status, 401);
}

TEST_F(HttpServerTest, AConnectionWithoutARequestIsClosed) {
  options_.limits.first_request_time_max = 100ms;
  RawClient silent = client();
  EXPECT_TRUE(silent.is_closed());
  RawClient quick = client();
  EXPECT_EQ(quick.get("/health").status, 200);
  EXPECT_TRUE(client().is_closed()) << "one that came later";
  EXPECT_EQ(quick.get("/health").status, 200) << "the limit is for the first request";
}

TEST_F(HttpServerTest, SilentConnectionsGiveWayToNewOnesOldestFirst) {
  options_.limits.connections_max = 3;
  RawClient served = client();
  EXPECT_EQ(served.get("/health").status, 200);
  RawClient oldest = client();
  RawClient silent = client();
  RawClient next = client();
  EXPECT_TRUE(oldest.is_closed());
  EXPECT_EQ(next.get("/health").status, 200);
  EXPECT_EQ(silent.get("/health").status, 200);
  EXPECT_EQ(served.get("/health").status, 200);
  EXPECT_EQ(client().receive().status, 503) << "all three are served";
}

TEST_F(HttpServerTest, ConnectionsWithAValidTokenStayWhenOthersCrowdIn) {
  const std::string text = "a token";
  options_.tokens.emplace(std::vector<Token>{{"reader", sha256(text), {Scope::kRead}, std::nullopt}});
  options_.limits.unadmitted_per_address_max = 2;
  const auto ask = [](RawClient& c, const std::string& path, const std::string& token) {
    return c
        .exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
                  "\r\n\r\n")
        .status;
  };
  RawClient valid = client();
  EXPECT_EQ(ask(valid, "/health", text), 200);
  RawClient open = client();
  EXPECT_EQ(open.get("/open").status, 200);
  RawClient open_with_token = client();
  EXPECT_EQ(ask(open_with_token, "/open", text), 200);
  std::vector<RawClient> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(client());
  EXPECT_TRUE(open.is_closed()) << "a path that needs no token proves nothing";
  for (int i = 0; i < 18; ++i) EXPECT_TRUE(crowd[static_cast<std::size_t>(i)].is_closed()) << i;
  EXPECT_EQ(ask(valid, "/health", text), 200);
  EXPECT_EQ(ask(crowd[18], "/health", text), 200);
  EXPECT_EQ(ask(crowd[19], "/health", text), 200);
  EXPECT_EQ(ask(valid, "/health", "another token"), 401);
}

TEST_F(HttpServerTest, StopWaitsForRequestsInProgress) {
  RawClient idle = client();
  EXPECT_EQ(idle.get("/health").status, 200);
  RawClient waiting = client();
  waiting.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Responder respond = next_kept();

  auto stopped = std::async(std::launch::async, [this] { server_->stop(RawClient::kPatience); });
  EXPECT_TRUE(idle.is_closed());
  respond(json_response(200, "done"));
  EXPECT_EQ(waiting.receive().body, "done");
  stopped.get();
  EXPECT_TRUE(waiting.is_closed());
  EXPECT_FALSE(client().connected());
}

TEST_F(HttpServerTest, StopWaitsNoLongerThanItsGrace) {
  RawClient waiting = client();
  waiting.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Responder respond = next_kept();
  server_->stop(50ms);
  respond(json_response(200, "too late"));  // Has no effect.
}

TEST_F(HttpServerTest, AddressInUseIsNamed) {
  client();
  ServerOptions same = options_;
  same.address = server_->address();
  const auto second = HttpServer::start(same, Router({}));
  ASSERT_THAT(second, fails_with(Errc::kFailedPrecondition));
  EXPECT_NE(second.error().message.find(same.address.to_string()), std::string::npos);
}

TEST_F(HttpServerTest, WithoutTokensOnlyLoopbackAddressesAreAllowed) {
  options_.address.host = "0.0.0.0";
  EXPECT_THAT(HttpServer::start(options_, Router({})), fails_with(Errc::kFailedPrecondition));
}

// Streams whose clients do not read. The budget of answers has room for seven of them.
class BlockedStreamTest : public HttpServerTest {
 protected:
  BlockedStreamTest() {
    std::vector<Token> tokens;
    for (const char* name : {"a", "b", "c"}) {
      tokens.push_back({name, sha256(name), {Scope::kRead}, std::nullopt});
    }
    options_.tokens.emplace(std::move(tokens));
    options_.limits.answers_bytes_max = 8 * kMebibyte;
    options_.limits.blocked_send_min = 0ms;
    options_.observer = &observer_;
  }

  static std::string request(const std::string& path, const std::string& token) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " +
           token + "\r\n\r\n";
  }

  // An ordinary answer of a mebibyte.
  int read_as(const std::string& token) {
    const RawResponse response = client().exchange(request("/mebibyte", token));
    EXPECT_TRUE(response.status != 200 || response.body.size() == kMebibyte);
    return response.status;
  }

  // A stream whose client does not read; returns when its send is blocked.
  RawClient& stall(const std::string& token) {
    static_cast<void>(client());  // starts the server
    RawClient& c = stalled_.emplace_back(server_->address().port, 4096);
    const int before = pieces_made_;
    c.send(request("/bulk/1", token));
    while (pieces_made_ == before && std::chrono::steady_clock::now() < patience_end_) {
      std::this_thread::yield();
    }
    // The server has one thread, which sent the piece before it answers this.
    EXPECT_EQ(client().exchange(request("/health", token)).status, 200);
    return c;
  }

  static bool is_complete(RawClient& c) { return c.rest().ends_with("\r\n0\r\n\r\n"); }
  int complete() { return static_cast<int>(std::count_if(stalled_.begin(), stalled_.end(), is_complete)); }

  std::deque<RawClient> stalled_;
};

TEST_F(BlockedStreamTest, GivesItsMemoryToAnotherClient) {
  for (int i = 0; i < 7; ++i) stall(i < 4 ? "a" : "b");
  EXPECT_EQ(observer_.streams_closed, 0);
  EXPECT_EQ(read_as("c"), 200);
  EXPECT_EQ(read_as("c"), 200);
  EXPECT_EQ(observer_.streams_closed, 1) << "no more than were needed";
  EXPECT_EQ(complete(), 6) << "the others get everything once they read";
}

TEST_F(BlockedStreamTest, GivesItsMemoryToTheSameClient) {
  for (int i = 0; i < 5; ++i) stall("a");
  EXPECT_EQ(read_as("a"), 200);
  EXPECT_EQ(observer_.streams_closed, 1);
  EXPECT_EQ(complete(), 4);
}

TEST_F(BlockedStreamTest, GivesItsMemoryToAnotherStream) {
  for (int i = 0; i < 7; ++i) stall(i < 4 ? "a" : "b");
  RawClient c = client();
  c.send(request("/bulk/20", "c"));
  EXPECT_TRUE(is_complete(c));
  EXPECT_EQ(complete(), 6);
}

TEST_F(BlockedStreamTest, GivesItsConnectionToAnotherClient) {
  options_.limits.connections_max = 3;
  RawClient served = client();
  const std::string health = "GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer c\r\n\r\n";
  EXPECT_EQ(served.exchange(health).status, 200);
  for (const char* token : {"a", "b"}) {
    stalled_.emplace_back(server_->address().port, 4096).send(request("/bulk/1", token));
  }
  while (pieces_made_ < 2 && std::chrono::steady_clock::now() < patience_end_) std::this_thread::yield();
  EXPECT_EQ(served.exchange(health).status, 200);  // after both pieces, on the same thread
  EXPECT_EQ(read_as("c"), 200);
  EXPECT_EQ(served.exchange(health).status, 200);
  EXPECT_EQ(observer_.streams_closed, 1);
  EXPECT_EQ(complete(), 1);
}

// Blocked or not, it has not been for long.
TEST_F(BlockedStreamTest, IsNotClosedBeforeItsTime) {
  options_.limits.blocked_send_min = 1h;
  for (int i = 0; i < 7; ++i) stall(i < 4 ? "a" : "b");
  EXPECT_EQ(read_as("c"), 503);
  EXPECT_EQ(observer_.streams_closed, 0);
  EXPECT_EQ(complete(), 7);
}

// A page is answered as a whole: its client could not resume it.
TEST_F(BlockedStreamTest, APageThatIsNotReadIsNotClosed) {
  options_.limits.answers_bytes_max = 128 * kMebibyte;
  for (const char* token : {"a", "b"}) {
    RawClient& c = stalled_.emplace_back(client());
    c.send(request("/large", token));
    ASSERT_TRUE(c.readable_within(RawClient::kPatience));
  }
  EXPECT_EQ(read_as("c"), 503);
  for (RawClient& c : stalled_) EXPECT_EQ(c.receive().body.size(), 64 * kMebibyte);
}

// Its send is blocked for moments, and the others have been for longer.
TEST_F(BlockedStreamTest, AStreamWhoseClientReadsIsNotClosed) {
  for (int i = 0; i < 7; ++i) stall(i < 4 ? "a" : "b");
  RawClient reading = client();
  std::atomic<bool> has_all = false;
  std::thread reader([&] {
    reading.send(request("/bulk/50", "c"));
    has_all = is_complete(reading);
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read_as("c"), 200);
  reader.join();
  EXPECT_TRUE(has_all);
  EXPECT_GE(observer_.streams_closed, 1);
  EXPECT_EQ(complete(), 7 - observer_.streams_closed);
}

}  // namespace
}  // namespace cairn::api

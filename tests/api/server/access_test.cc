// Tokens: scopes and categories.

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "tests/api/server/access_fixture.h"
#include "tests/api/server/sse_client.h"

namespace cairn::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string base64(const std::string& text) {
  std::string encoded(text.size() * 4 / 3 + 5, '\0');
  const int size =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  return encoded.substr(0, static_cast<std::size_t>(size));
}

TEST_F(AccessTest, WithoutATokenOnlyHealthAndReadyAreOpen) {
  serve_with_tokens();
  EXPECT_EQ(nobody().get("/health").status, 200);
  EXPECT_EQ(nobody().get("/ready").status, 200);
  expect_unauthorized(as("cairn_unknown").get("/ready"));
  for (const char* path : {"/status", "/metrics", "/version", "/openapi.json", "/events", "/streams",
                           "/streams/a-1", "/streams/a-1/events"}) {
    SCOPED_TRACE(path);
    expect_unauthorized(nobody().get(path));
    expect_unauthorized(as("cairn_unknown").get(path));
  }
  expect_unauthorized(nobody().append("order-1", {event_text("T")}));
  expect_unauthorized(nobody().append_all({entry_text("order-1", {event_text("T")})}));
  EXPECT_EQ(nobody().get("/nowhere").status, 401) << "what paths there are is nobody's business";
  EXPECT_EQ(head(), 0u);
}

TEST_F(AccessTest, ReadyTellsStrangersNothingOfTheStore) {
  serve_with_tokens();
  ASSERT_EQ(as(kBoth).append("order-1", {event_text("T")}).status, 201);
  EXPECT_EQ(nobody().get("/ready").body, R"({"status":"ready"})");
  EXPECT_EQ(as(kReader).get("/ready").json(), (Json{{"status", "ready"}, {"head", 1}}));
}

TEST_F(AccessTest, PartialTokensAreUnauthorized) {
  serve_with_tokens();
  const std::string token = kReader;
  std::string other_case = token;
  std::transform(other_case.begin(), other_case.end(), other_case.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string& value :
       {std::string("Bearer"), std::string("Bearer "), token, "Bearer " + token + "x", "Bearer x" + token,
        "Bearer " + token.substr(0, token.size() - 1), "Bearer " + other_case, "Digest " + token,
        "Bearer " + token + " " + token, std::string("Basic !!!"), "Basic " + token, "Basic " + base64(token),
        "Basic " + base64(token + ":x"), "Basic " + base64("reader:" + token + "x")}) {
    SCOPED_TRACE(value);
    expect_unauthorized(with_authorization(value).get("/ready"));
  }
  const std::string sum = line("x", token, "[]").substr(line("x", token, "[]").find("sha256") + 9, 64);
  expect_unauthorized(as(sum).get("/ready"));
}

TEST_F(AccessTest, BearerAndBasicAreAccepted) {
  serve_with_tokens();
  const std::string token = kReader;
  for (const std::string& value : {"Bearer " + token, "bearer " + token, "Basic " + base64("anyone:" + token),
                                   "Basic " + base64(":" + token)}) {
    EXPECT_EQ(with_authorization(value).get("/ready").status, 200) << value;
  }
}

// While clients with several tokens send requests, each has a window of appends in progress on a thread. Bodies
// that are on their way are not in it.
TEST_F(AccessTest, UnfinishedAppendsDoNotKeepOthersOfTheirTokenWaiting) {
  serve_with_tokens();
  std::vector<RawClient> unfinished;
  std::vector<ApiClient> writers, others;
  for (int i = 0; i < 8; ++i) {  // some on each thread of the server
    others.push_back(as(kBoth));
    writers.push_back(as(kWriter));
    ASSERT_EQ(others.back().append("order-1", {event_text("T")}).status, 201);
    unfinished.push_back(raw());
    unfinished.back().send(std::string("POST /streams/order-2/events HTTP/1.1\r\nHost: localhost\r\n") +
                           "Authorization: Bearer " + kWriter +
                           "\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{");
  }
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < writers.size(); ++i) {
      ASSERT_EQ(others[i].append("order-1", {event_text("T")}).status, 201);
      ASSERT_EQ(writers[i].append("order-3", {event_text("T")}).status, 201);
    }
  }
  for (RawClient& each : unfinished) EXPECT_FALSE(each.readable_within(std::chrono::milliseconds(0)));
}

TEST_F(AccessTest, ScopesAreEnforced) {
  serve_with_tokens();
  EXPECT_EQ(as(kWriter).append("order-1", {event_text("T")}).status, 201);
  EXPECT_EQ(as(kWriter).append_all({entry_text("order-1", {event_text("T")})}).status, 201);
  EXPECT_EQ(as(kReader).get("/events").status, 200);
  EXPECT_EQ(as(kReader).get("/metrics").status, 200);
  for (const char* path : {"/events", "/streams", "/streams/order-1", "/streams/order-1/events", "/ready"}) {
    expect_forbidden(as(kWriter).get(path), "read");
    expect_forbidden(as(kAdmin).get(path), "read");
  }
  expect_forbidden(as(kReader).append("order-1", {event_text("T")}), "append");
  expect_forbidden(as(kReader).append_all({check_text("order-1", "0")}), "append");
  expect_forbidden(as(kAdmin).append("order-1", {event_text("T")}), "append");
  EXPECT_EQ(head(), 2u);
}

// Of each scope a token, for all categories and for one. A route that a token may not use is refused before
// anything else is looked at; a route that it may use answers something else, whatever the request lacks.
TEST_F(AccessTest, EachRouteNeedsTheScopeThatItsDescriptionNames) {
  const std::vector<std::string> scopes = {"read", "append", "admin", "consume", "lease", "query"};
  const auto token_of = [](const std::string& scope, bool limited) {
    return "cairn_" + scope + std::string(43 - scope.size(), limited ? 'c' : 'a');
  };
  std::string lines;
  for (const std::string& scope : scopes) {
    for (const bool limited : {false, true}) {
      lines += line(scope + (limited ? "-c" : "-a"), token_of(scope, limited), "[\"" + scope + "\"]",
                    limited ? R"(,"categories":["order"])" : "");
    }
  }
  write_tokens(lines);
  send_always({{"Authorization", "Bearer " + token_of("read", false)}});
  serve({"--schemas", "optional", "--tokens", tokens_path()});
  const Json paths = get("/openapi.json").json()["paths"];
  std::size_t checked = 0;
  for (const auto& [path, methods] : paths.items()) {
    const std::string target = std::regex_replace(path, std::regex("\\{[a-z_]+\\}", std::regex::icase), "1");
    for (const auto& [method, operation] : methods.items()) {
      std::smatch needed;
      const std::string description = operation.value("description", "");
      if (!std::regex_search(description, needed, std::regex("Scope: (\\w+)"))) continue;
      for (const std::string& scope : scopes) {
        for (const bool limited : {false, true}) {
          SCOPED_TRACE(method + " " + target + " with " + scope + (limited ? " for a category" : ""));
          std::string verb = method;
          for (char& letter : verb) letter = static_cast<char>(std::toupper(letter));
          RawClient client = raw();
          const auto answer =
              client.exchange(verb + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                              token_of(scope, limited) +
                              "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                              "Connection: close\r\n\r\n{}");
          // The description of the paths has these words too.
          const bool lacks = answer.status == 403 && answer.body.find("lacks the scope '" + needed[1].str() +
                                                                      "'") != std::string::npos;
          EXPECT_EQ(lacks, scope != needed[1]) << answer.body.substr(0, 300);
          EXPECT_NE(answer.status, 401);
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 70u * scopes.size() * 2);
}

TEST_F(AccessTest, OnlyAdminsDeployUpcasters) {
  serve_with_tokens();
  const auto deploy = [this](const char* token) {
    return as(token).put("/upcasters/T/1", "return 7", "text/x-lua");
  };
  expect_forbidden(deploy(kBoth), "admin");
  problem(deploy(kAdmin), 422, "script-error");
  // Its failures name streams and data of every category.
  expect_forbidden(deploy(kOrdersAdmin), "categor");
  const std::string both = R"({"schema":"\"string\"","upcaster":"return 7"})";
  EXPECT_EQ(as(kOrdersAdmin).post("/subjects/T/versions", both).status, 403);
  EXPECT_EQ(as(kAdmin).post("/subjects/T/versions", both).status, 422);
  EXPECT_EQ(as(kReader).get("/upcasters").status, 200);
  expect_forbidden(as(kAdmin).get("/upcasters"), "read");
  expect_unauthorized(nobody().put("/upcasters/T/1", "return 7", "text/x-lua"));
}

TEST_F(AccessTest, CategoriesAreEnforced) {
  serve_with_tokens();
  ApiClient orders = as(kOrders);
  EXPECT_EQ(orders.append("order-1", {event_text("T")}).status, 201);
  EXPECT_EQ(as(kBoth).append("cart-1", {event_text("T", "\"secret\"")}).status, 201);
  EXPECT_EQ(orders.get("/streams/order-1/events").status, 200);
  EXPECT_EQ(orders.get("/streams/order-1").status, 200);
  EXPECT_EQ(orders.get("/events?category=order").json()["events"].size(), 1u);
  EXPECT_EQ(orders.get("/streams?category=order").json()["streams"].size(), 1u);

  for (const char* path :
       {"/streams/cart-1", "/streams/cart-1/events", "/streams/cart-9", "/events", "/streams",
        "/events?category=cart", "/events?category=order&category=cart", "/streams?category=cart",
        "/streams?prefix=order", "/streams/orders-1", "/streams/%63art-1"}) {
    SCOPED_TRACE(path);
    expect_forbidden(orders.get(path), "categor");
    EXPECT_THAT(orders.get(path).body, Not(HasSubstr("secret")));
  }
  for (const char* accept : {"application/x-ndjson", "text/event-stream"}) {
    expect_forbidden(orders.get("/events", {{"Accept", accept}}), "categor");
    expect_forbidden(orders.get("/streams/cart-1/events", {{"Accept", accept}}), "categor");
  }
  expect_forbidden(orders.append("cart-1", {event_text("T")}), "cart");
  expect_forbidden(orders.append_all({entry_text("order-1", {event_text("T")}), check_text("cart-1", "1")}),
                   "cart");
  expect_forbidden(orders.append_all({entry_text("cart-1", {event_text("T")})}), "cart");
  EXPECT_EQ(head(), 2u);
}

TEST_F(AccessTest, AReusedIdRevealsNothingOfOtherCategories) {
  serve_with_tokens();
  EXPECT_EQ(as(kBoth).append("cart-secret", {event_text("T", "1", uuid(1))}).status, 201);
  const HttpAnswer refused = as(kOrders).append("order-1", {event_text("T", "1", uuid(1))});
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, Not(HasSubstr("cart-secret")));
}

TEST_F(AccessTest, SystemStreamsAreForbiddenToAllTokens) {
  serve_with_tokens();
  for (const char* name : {"$system", "%24system"})
    problem(as(kBoth).append(name, {event_text("T")}), 403, "forbidden");
}

TEST_F(AccessTest, WithTokensAnyHostIsAdmitted) {
  serve_with_tokens();
  const RawResponse answer =
      raw().exchange("GET /ready HTTP/1.1\r\nHost: cairn.example\r\nAuthorization: Bearer " +
                     std::string(kReader) + "\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
}

TEST_F(AccessTest, TheLogContainsNoTokenAndNoHash) {
  serve_with_tokens();
  ASSERT_EQ(as(kWriter).append("order-1", {event_text("T")}).status, 201);
  as("cairn_guessguessguess").get("/events");
  as(kReader).get("/events?token=" + std::string(kReader));
  raw().exchange("GET /events HTTP/1.1\r\nAuthorization: Bearer " + std::string(kReader) +
                 "\r\nbroken\r\n\r\n");
  const Finished finished = stop_server();
  EXPECT_EQ(finished.exit_code, 0);
  const std::string printed = finished.output + finished.errors;
  for (const char* secret : {kReader, kWriter, kBoth, kOrders, kAdmin, "guessguess"}) {
    EXPECT_THAT(printed, Not(HasSubstr(secret)));
  }
}

TEST_F(AccessTest, InvalidTokenFilesAreNamedWithTheLine) {
  const std::string good = line("ok", kReader, R"(["read"])");
  const std::vector<std::pair<const char*, std::string>> files = {
      {"not JSON", good + "nonsense\n"},
      {"unknown field", good + line("b", kBoth, R"(["read"])", R"(,"colour":1)")},
      {"short hash", good + R"({"name":"b","sha256":"abc","scopes":["read"]})"
                            "\n"},
      {"hash that is no hex", good + R"({"name":"b","sha256":")" + std::string(64, 'g') +
                                  R"(","scopes":["read"]})"
                                  "\n"},
      {"unknown scope", good + line("b", kBoth, R"(["write"])")},
      {"name twice", good + line("ok", kBoth, R"(["read"])")},
      {"scopes missing", good + R"({"name":"b","sha256":")" + std::string(64, 'a') + "\"}\n"},
  };
  for (const auto& [what, text] : files) {
    SCOPED_TRACE(what);
    std::filesystem::remove(tokens_path());
    write_tokens(text);
    const Finished refused = try_to_serve({"--listen", "127.0.0.1:0", "--tokens", tokens_path()});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr(tokens_path()), HasSubstr("2")));
    EXPECT_EQ(refused.output, "");
  }
  const Finished missing = try_to_serve({"--listen", "127.0.0.1:0", "--tokens", (temp() / "none").string()});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, HasSubstr((temp() / "none").string()));
}

TEST_F(AccessTest, AWorldReadableTokenFileCausesAWarning) {
  std::filesystem::permissions(tokens_path(), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  serve_with_tokens();
  EXPECT_THAT(stop_server().errors, HasSubstr(tokens_path()));
}

TEST_F(AccessTest, OtherAddressesThanLoopbackNeedTokens) {
  for (const char* listen : {"0.0.0.0:0", "[::]:0"}) {
    SCOPED_TRACE(listen);
    const Finished refused = try_to_serve({"--listen", listen});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("refusing to listen on"), HasSubstr("--tokens")));

    CairnProcess server({"serve", "--data", folder(), "--listen", listen, "--tokens", tokens_path()});
    const std::string line = server.first_line();
    ASSERT_THAT(line, HasSubstr(" on http")) << server.finish().errors;
    const auto own_port = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
    EXPECT_EQ(RawClient(own_port).get("/health").status, 200);
    EXPECT_EQ(RawClient(own_port).get("/events").status, 401);
    server.signal(SIGTERM);
    EXPECT_EQ(server.finish().exit_code, 0);
  }
}

TEST_F(AccessTest, SchemasNeedReadToReadAndAdminToChange) {
  serve_with_tokens();
  const std::string schema = R"({"schema":"\"string\""})";
  for (const char* path : {"/", "/subjects", "/subjects/S/versions", "/config", "/mode", "/schemas/ids/1"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(nobody().get(path).status, 401);
    EXPECT_EQ(as(kWriter).get(path).status, 403);
    EXPECT_THAT(as(kReader).get(path).status, ::testing::AnyOf(200, 404));
  }
  const HttpAnswer refused = as(kReader).post("/subjects/S/versions", schema);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.json().value("error_code", 0), 403) << "in the words of the registry's clients";
  EXPECT_THAT(refused.json().value("message", ""), HasSubstr("admin"));
  EXPECT_EQ(nobody().get("/subjects").json().value("error_code", 0), 401);
  EXPECT_EQ(as(kReader).put("/config", R"({"compatibility":"NONE"})").status, 403);
  EXPECT_EQ(as(kReader).put("/mode", R"({"mode":"READONLY"})").status, 403);
  EXPECT_EQ(as(kReader).remove("/subjects/S").status, 403);

  EXPECT_EQ(with_authorization("Basic " + base64("any:" + std::string(kAdmin)))
                .post("/subjects/S/versions", schema)
                .body,
            R"({"id":1})");
  EXPECT_EQ(as(kReader).post("/subjects/S", schema).status, 200) << "a lookup changes nothing";
  EXPECT_EQ(as(kReader).post("/compatibility/subjects/S/versions/latest", schema).status, 200);
  EXPECT_EQ(as(kAdmin).remove("/subjects/S").status, 200);
}

// Schemas and their settings are for all categories.
TEST_F(AccessTest, ATokenWithCategoriesDoesNotChangeTheRegistry) {
  serve_with_tokens();
  const std::string schema = R"({"schema":"\"string\""})";
  ASSERT_EQ(as(kAdmin).post("/subjects/S/versions", schema).status, 200);
  const auto refused = [](const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 403) << answer.body;
    EXPECT_EQ(answer.json().value("error_code", 0), 403);
    EXPECT_THAT(answer.json().value("message", ""), HasSubstr("categories"));
  };
  ApiClient orders = as(kOrdersAdmin);
  refused(orders.post("/subjects/T/versions", schema));
  refused(orders.post("/subjects/T/versions", "no schema"));
  refused(orders.remove("/subjects/S"));
  refused(orders.remove("/subjects/S/versions/1"));
  for (const char* of : {"", "/S"}) {
    refused(orders.put(std::string("/config") + of, R"({"compatibility":"NONE"})"));
    refused(orders.remove(std::string("/config") + of));
    refused(orders.put(std::string("/mode") + of, R"({"mode":"READONLY"})"));
    refused(orders.remove(std::string("/mode") + of));
  }
  refused(orders.remove("/contexts/c"));
  expect_forbidden(orders.put("/upcasters/S/1", "return upcaster {}", "text/x-lua"), "categor");
  EXPECT_EQ(as(kOrders).get("/subjects").body, R"(["S"])") << "it may read them";
}

TEST_F(AccessTest, MetricsNameNoProjectionsToATokenWithCategories) {
  serve_with_tokens();
  const std::string script = "return projection { on = { T = function(row) row.n = 1 end } }";
  ASSERT_EQ(as(kAdmin).put("/projections/secret-sales", script, "text/x-lua").status, 201);
  EXPECT_THAT(as(kReader).get("/metrics").body, HasSubstr("secret-sales"));
  const HttpAnswer limited = as(kOrders).get("/metrics");
  EXPECT_EQ(limited.status, 200);
  EXPECT_THAT(limited.body, AllOf(HasSubstr("cairn_appends_total"), Not(HasSubstr("secret-sales"))));
}

}  // namespace
}  // namespace cairn::test

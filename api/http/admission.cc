#include "api/http/admission.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "api/http/feed_target.h"
#include "eventstore/base/assert.h"

namespace cairn::api {

namespace {

std::string_view header(const RequestHead& head, std::string_view name) {
  for (const auto& [key, value] : head.headers) {
    if (same_header_name(key, name)) return value;
  }
  return {};
}

// "" and ":7878", nothing else.
bool is_port(std::string_view text) {
  if (text.empty()) return true;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), port);
  return text.front() == ':' && error == std::errc() && end == text.data() + text.size() && port > 0;
}

// "[::1]:7878" -> "::1", "localhost:7878" -> "localhost"; nothing when what follows the host is no port.
std::string_view without_port(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = std::min(host.find(bracketed ? ']' : ':'), host.size());
  if (bracketed && end == host.size()) return {};
  if (!is_port(host.substr(bracketed ? end + 1 : end))) return {};
  return bracketed ? host.substr(1, end - 1) : host.substr(0, end);
}

bool names_this_machine(std::string_view host) {
  host = without_port(host);
  if (same_header_name(host, "localhost")) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

Problem lacks_scope(const Token& token, Scope scope) {
  return forbidden("The token '" + token.name + "' lacks the scope '" + std::string(to_string(scope)) + "'.");
}

}  // namespace

Admission::Admission(std::optional<AccessList> tokens, Tickets* tickets)
    : needs_token_(tokens.has_value()),
      tickets_(tickets),
      tokens_(tokens ? std::make_shared<const AccessList>(*std::move(tokens)) : nullptr) {}

void Admission::replace(AccessList tokens) {
  auto made = std::make_shared<const AccessList>(std::move(tokens));
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(needs_token_);
  tokens_ = std::move(made);
}

std::shared_ptr<const AccessList> Admission::tokens() const {
  const MutexLock lock(mutex_);
  return tokens_;
}

bool Admission::is_in_force(const Token& token) const {
  const auto list = tokens();
  return list != nullptr && list->has(token);
}

// nullopt when the request shows no ticket.
std::optional<Answered<Admission::Admitted>> Admission::admit_by_ticket(const RequestHead& head,
                                                                        const AccessList* list) const {
  const std::size_t path_bytes = std::min(head.target.find('?'), head.target.size());
  if (path_bytes == head.target.size()) return std::nullopt;
  const auto query = parse_query(head.target.substr(path_bytes + 1));
  if (!query) return std::nullopt;  // The request is refused for that later.
  const auto [begin, end] = query->equal_range(kTicketParameter);
  if (begin == end) return std::nullopt;
  if (head.method != "GET" || header(head, "Accept").find("text/event-stream") == std::string_view::npos) {
    return wrong_ticket("A ticket is for a GET with Accept: text/event-stream, as EventSource sends it.");
  }
  if (std::next(begin) != end) return wrong_ticket("The query has more than one ticket.");
  const auto target = feed_target(head.target.substr(0, path_bytes), *query);
  auto found = target ? tickets_->use(begin->second, *target) : std::nullopt;
  if (!found) {
    return wrong_ticket(
        "The ticket is not known, has expired, or is for another path and query. Get another one with POST "
        "/tickets.");
  }
  if (list != nullptr && (found->token == nullptr || !list->has(*found->token))) {
    return wrong_ticket("The token of the ticket is not in force any more.");
  }
  return Admitted{.token = std::move(found->token), .ticket = std::move(found->use)};
}

Answered<Admission::Admitted> Admission::admit(const RequestHead& head, const Route* route) const {
  const auto list = tokens();
  const bool may_have_ticket = tickets_ != nullptr && route != nullptr && route->takes_ticket;
  if (list == nullptr) {
    const std::string_view host = header(head, "Host");
    if (!names_this_machine(host)) {
      return forbidden("The Host header says '" + std::string(host) +
                       "'. Without tokens the server answers only to localhost and loopback addresses.");
    }
    auto by_ticket = may_have_ticket ? admit_by_ticket(head, nullptr) : std::nullopt;
    return by_ticket ? *std::move(by_ticket) : Admitted();
  }
  if (route != nullptr && !route->scope) return Admitted();
  if (may_have_ticket) {
    if (auto admitted = admit_by_ticket(head, list.get())) {
      if (*admitted && !(*admitted)->token->may(*route->scope)) {
        return lacks_scope(*(*admitted)->token, *route->scope);
      }
      return *std::move(admitted);
    }
  }
  if (route != nullptr && route->allows_anonymous && header(head, "Authorization").empty()) return Admitted();
  const Token* token = list->find(header(head, "Authorization"));
  if (token == nullptr) return unauthorized();
  if (route != nullptr && !token->may(*route->scope)) return lacks_scope(*token, *route->scope);
  return Admitted{.token = std::shared_ptr<const Token>(list, token)};  // keeps the list
}

}  // namespace cairn::api

#include "api/http/admission.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

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

}  // namespace

Admission::Admission(std::optional<AccessList> tokens)
    : needs_token_(tokens.has_value()),
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

Answered<std::shared_ptr<const Token>> Admission::admit(const RequestHead& head, const Route* route) const {
  const auto list = tokens();
  if (list == nullptr) {
    const std::string_view host = header(head, "Host");
    if (names_this_machine(host)) return std::shared_ptr<const Token>();
    return forbidden("The Host header says '" + std::string(host) +
                     "'. Without tokens the server answers only to localhost and loopback addresses.");
  }
  if (route != nullptr && !route->scope) return std::shared_ptr<const Token>();
  const Token* token = list->find(header(head, "Authorization"));
  if (token == nullptr) return unauthorized();
  if (route != nullptr && !token->may(*route->scope)) {
    return forbidden("The token '" + token->name + "' lacks the scope '" +
                     std::string(to_string(*route->scope)) + "'.");
  }
  return std::shared_ptr<const Token>(list, token);  // keeps the list
}

}  // namespace cairn::api

#include "api/http/sentence.h"

#include <string_view>

namespace cairn::api {

namespace {

constexpr std::string_view kSmallLetters = "abcdefghijklmnopqrstuvwxyz";

}  // namespace

std::string sentence(std::string message) {
  if (message.empty()) return message;
  const std::size_t end = message.find_first_not_of(kSmallLetters);
  if (end != 0 && end != std::string::npos && message[end] == ' ') {
    message.front() = static_cast<char>(message.front() - 'a' + 'A');
  }
  if (message.back() != '.' && message.back() != '?') message += '.';
  return message;
}

}  // namespace cairn::api

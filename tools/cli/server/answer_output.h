#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// `text` on stdout, with a line end unless it has one.
void print_line(const std::string& text);

// Prints the server's answer, unchanged with `json` and otherwise by `print`; returns kExitOk. When there is
// no answer or the server refuses, it prints the reason on stderr and returns the exit code for it.
int report_answer(const Result<api::Answer>& answer, bool json,
                  const std::function<void(const std::string& body)>& print);

// The member of a JSON object as it is written, so that numbers keep their digits; "" when there is none.
std::string raw_member(std::string_view object, std::string_view name);

// The elements of a member that is a list, each as it is written.
std::vector<std::string> raw_elements(std::string_view object, std::string_view name);

}  // namespace cairn::cli

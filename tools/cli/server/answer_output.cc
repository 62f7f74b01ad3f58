#include "tools/cli/server/answer_output.h"

#include <iostream>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

void print_line(const std::string& text) { std::cout << text << (text.ends_with('\n') ? "" : "\n"); }

int report_answer(const Result<api::Answer>& answer, bool json,
                  const std::function<void(const std::string& body)>& print) {
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, json);
  if (json) {
    print_line(answer->body);
  } else {
    print(answer->body);
  }
  return kExitOk;
}

std::string raw_member(std::string_view object, std::string_view name) {
  if (check_json(object)) return "";
  JsonCursor cursor(object);
  if (cursor.kind() != JsonKind::kObject) return "";
  cursor.enter_object();
  while (const auto member = cursor.next_name()) {
    const std::string_view raw = cursor.take_raw();
    if (*member == name) return std::string(raw);
  }
  return "";
}

std::vector<std::string> raw_elements(std::string_view object, std::string_view name) {
  const std::string list = raw_member(object, name);
  std::vector<std::string> elements;
  if (list.empty()) return elements;
  JsonCursor cursor(list);
  if (cursor.kind() != JsonKind::kArray) return elements;
  cursor.enter_array();
  while (cursor.next_element()) elements.emplace_back(cursor.take_raw());
  return elements;
}

}  // namespace cairn::cli

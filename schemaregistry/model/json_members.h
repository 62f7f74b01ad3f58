#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// The members of a JSON object in the order of the text, for access in any order. The views point into the
// text.
class JsonMembers {
 public:
  struct Member {
    std::string name;
    std::string_view raw;  // the text of the value
  };

  // REQUIRES: `object` is a JSON object in which check_json() found no fault.
  explicit JsonMembers(std::string_view object);

  // nullptr when there is none of this name.
  const Member* find(std::string_view name) const;

  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

 private:
  std::vector<Member> members_;
};

// Appends a checked JSON value in compact form: no white space, and characters escaped only where JSON
// requires it. Numbers keep their text (1 and 1.0 differ in Avro), and members their order.
void append_plain_json(std::string& to, std::string_view raw);

}  // namespace cairn

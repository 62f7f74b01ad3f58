#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// The members of a JSON object in the order they were written, to be looked at in any order. The views point
// into the text.
class JsonMembers {
 public:
  struct Member {
    std::string name;
    std::string_view raw;  // the value as it was written
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

// Appends a checked JSON value so that equal values give equal text: no white space, and each character
// escaped only where JSON asks for it. Numbers stay as they were written (1 and 1.0 are not the same to
// Avro), and so does the order of members.
void append_plain_json(std::string& to, std::string_view raw);

}  // namespace cairn

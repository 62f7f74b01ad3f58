#include "tools/cli/schema/registration_order.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace cairn::cli {

namespace {

// Depth-first search with an explicit stack: long chains of references would overflow the call stack.
class Ordering {
 public:
  explicit Ordering(std::vector<SchemaFile> files) : files_(std::move(files)), states_(files_.size()) {
    for (std::size_t i = 0; i < files_.size(); ++i) by_subject_[files_[i].subject].push_back(i);
  }

  Result<std::vector<SchemaFile>> run() && {
    for (std::size_t i = 0; i < files_.size(); ++i) CAIRN_CHECK(visit(i));
    std::vector<SchemaFile> ordered;
    ordered.reserve(files_.size());
    for (const std::size_t i : order_) ordered.push_back(std::move(files_[i]));
    return ordered;
  }

 private:
  enum class State { kUnseen, kOpen, kDone };
  struct Frame {
    std::size_t file = 0;
    std::vector<std::size_t> needs;
    std::size_t next = 0;
  };

  Status visit(std::size_t first) {
    if (states_[first] != State::kUnseen) return {};
    open(first);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.needs.size()) {
        states_[frame.file] = State::kDone;
        order_.push_back(frame.file);
        stack_.pop_back();
        continue;
      }
      const std::size_t need = frame.needs[frame.next++];
      if (states_[need] == State::kOpen) return cycle_text(need);
      if (states_[need] == State::kUnseen) open(need);
    }
    return {};
  }

  void open(std::size_t file) {
    states_[file] = State::kOpen;
    stack_.push_back({file, needs_of(file)});
  }

  std::vector<std::size_t> needs_of(std::size_t file) const {
    std::vector<std::size_t> needs;
    std::optional<std::size_t> before;  // the file of the next lower number
    for (const std::size_t other : by_subject_.at(files_[file].subject)) {
      const bool is_lower = files_[other].number < files_[file].number;
      if (is_lower && (!before || files_[other].number > files_[*before].number)) before = other;
    }
    if (before) needs.push_back(*before);
    for (const SchemaReference& reference : files_[file].references) {
      const auto subject = by_subject_.find(reference.subject);
      if (subject == by_subject_.end()) continue;
      for (const std::size_t other : subject->second) {
        if (may_mean(reference, files_[other])) needs.push_back(other);
      }
    }
    return needs;
  }

  Error cycle_text(std::size_t back_to) const {
    std::string path;
    bool inside = false;
    for (const Frame& frame : stack_) {
      inside = inside || frame.file == back_to;
      if (inside) path += files_[frame.file].path + " -> ";
    }
    return make_error(Errc::kInvalidArgument,
                      "the schemas refer to each other in a cycle: " + path + files_[back_to].path);
  }

  std::vector<SchemaFile> files_;
  std::vector<State> states_;
  std::map<std::string, std::vector<std::size_t>> by_subject_;
  std::vector<Frame> stack_;
  std::vector<std::size_t> order_;
};

}  // namespace

bool may_mean(const SchemaReference& reference, const SchemaFile& file) {
  if (reference.subject != file.subject) return false;
  return reference.version == SchemaReference::kLatest || file.number == 0 ||
         file.number == reference.version;
}

Result<std::vector<SchemaFile>> in_registration_order(std::vector<SchemaFile> files) {
  return Ordering(std::move(files)).run();
}

}  // namespace cairn::cli

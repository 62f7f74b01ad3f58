#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "schemaregistry/codec/run_plan.h"

namespace cairn {

// A sink (run_plan.h) that finds what Avro can encode and JSON cannot: text that is not UTF-8, and a key that
// occurs twice in a map.
class CheckSink : public NullSink {
 public:
  void text(std::string_view text) {
    if (!is_utf8(text)) complain("a string that is not UTF-8");
  }
  void begin_map() { keys_.emplace_back(); }
  void key(std::string_view key) {
    if (!is_utf8(key)) complain("a key that is not UTF-8");
    if (!keys_.back().insert(key).second) complain("the same key twice in a map");
  }
  void end_map() { keys_.pop_back(); }

  // The first complaint; empty when there is none.
  const std::string& fault() const { return fault_; }

 private:
  void complain(std::string_view what) {
    if (fault_.empty()) fault_ = what;
  }

  std::string fault_;
  std::vector<std::unordered_set<std::string_view>> keys_;  // of the open maps, the innermost last
};

// Whether the bytes match the plan and JSON can hold the value. Fails with kCorruption and the reason.
inline Status check_avro(const DecodePlan& plan, std::string_view avro) {
  CheckSink sink;
  if (Status status = PlanRun(sink).run(plan.root(), avro); !status) return status;
  if (!sink.fault().empty()) return make_error(Errc::kCorruption, sink.fault());
  return {};
}

}  // namespace cairn

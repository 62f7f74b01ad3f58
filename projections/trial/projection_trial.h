#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "projections/script/projection_fold.h"
#include "upcasters/trial/trial_events.h"
#include "upcasters/trial/trial_report.h"
#include "upcasters/values/field_recorder.h"

namespace cairn {

// Tries a projection's script on events: routes, applies and parks them as a generation does, with the rows in memory
// only. Changes nothing. Not thread-safe.
class ProjectionTrial {
 public:
  // The rows of a trial may take this much memory.
  static constexpr std::size_t kRowsBytesMax = 64u << 20;

  // Fails when the script cannot be loaded.
  static ScriptResult<std::unique_ptr<ProjectionTrial>> make(const std::string& source,
                                                             const std::string& file);

  const ProjectionHeader& header() const { return fold_->header(); }

  // Applies all events, in order. Ends early when the budget does. Called once.
  TrialReport run(const TrialEvents& events, const ShapeForTrial& shape, WorkBudget& budget);

 private:
  struct Row {
    std::uint32_t slot = 0;
    std::string saved;  // after the last event that was applied; "" for none
  };

  ProjectionTrial() = default;
  void take(std::size_t index, const TrialEvents& events, const ShapeForTrial& shape);
  void apply(std::size_t index, bool has_position, const EventView& event, const ShapedEvent& part,
             const std::string& key);
  std::optional<ProjectionFold::Fault> apply_and_save(Row& row, const EventView& event,
                                                      const ShapedEvent& part, std::string& saved);
  bool is_from_here(std::string_view stream) const;
  static ScriptError script_error(const ProjectionFold::Fault& fault);
  void add_rows();
  void add_warnings();

  std::unique_ptr<ProjectionFold> fold_;
  FieldRecorder recorder_;
  std::unique_ptr<ProjectionFold> recording_;
  std::map<std::string, Row, std::less<>> rows_;
  std::size_t saved_bytes_ = 0;
  std::set<std::string, std::less<>> parked_keys_;
  std::set<std::string, std::less<>> parked_streams_;
  std::set<std::string, std::less<>> called_;  // handlers
  std::uint64_t keyless_ = 0;                  // events that have a handler and whose key was nil
  std::uint64_t keyed_ = 0;
  bool applied_ = false;  // the present event, to a row
  bool failed_ = false;
  TrialReport report_;
};

}  // namespace cairn

#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "projections/script/aggregate_fold.h"
#include "upcasters/trial/trial_events.h"
#include "upcasters/trial/trial_report.h"
#include "upcasters/values/field_recorder.h"

namespace cairn {

// Tries an aggregate's script on events: folds each stream by itself, from its first event among those given, and
// reports the states as rows under the names of the streams. Changes nothing. Not thread-safe.
class AggregateTrial {
 public:
  // Fails when the script cannot be loaded.
  static ScriptResult<std::unique_ptr<AggregateTrial>> make(const std::string& source,
                                                            const std::string& file);

  const AggregateHeader& header() const { return fold_->header(); }
  // The types that have a function in `on`, rising.
  std::vector<std::string> types() const { return fold_->types(); }

  // Folds all events. Ends early when the budget does. Called once.
  TrialReport run(const TrialEvents& events, const ShapeForTrial& shape, WorkBudget& budget);

 private:
  AggregateTrial() = default;
  // False: the budget has ended.
  bool fold_stream(const TrialEvents& events, const std::vector<std::size_t>& indexes,
                   const ShapeForTrial& shape, WorkBudget& budget);
  // False: the event failed, and the stream has no state.
  bool take(std::size_t index, const TrialEvents& events, const ShapeForTrial& shape);
  static ScriptError script_error(const AggregateFold::Fault& fault);
  void add_warnings(const TrialEvents& events);

  std::unique_ptr<AggregateFold> fold_;
  FieldRecorder recorder_;
  std::unique_ptr<AggregateFold> recording_;
  std::set<std::string, std::less<>> called_;
  std::size_t tried_ = 0;
  TrialReport report_;
};

}  // namespace cairn

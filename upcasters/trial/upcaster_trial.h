#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "schemaregistry/codec/json_encoder.h"
#include "upcasters/chain/chain.h"
#include "upcasters/script/json_upcast.h"
#include "upcasters/script/upcaster_runner.h"
#include "upcasters/trial/trial_events.h"
#include "upcasters/trial/trial_report.h"
#include "upcasters/values/field_recorder.h"

namespace cairn {

// Tries an upcaster's script on events, and changes nothing. With the schemas of its two versions each event goes the
// way of a deployed upcaster, and the result is checked against the target's schema; without them the data stays
// JSON, and nothing is checked. Not thread-safe.
class UpcasterTrial {
 public:
  // Fails when the script cannot be loaded.
  static ScriptResult<std::unique_ptr<UpcasterTrial>> make(const std::string& source,
                                                           const std::string& file);

  const UpcasterHeader& header() const { return script_->header(); }

  // The way of a deployed upcaster, from now on. REQUIRES: called once, before run(). Fails when no plan can be made
  // for the schemas.
  Status use_schemas(std::shared_ptr<const StoredSchema> from, std::shared_ptr<const StoredSchema> to,
                     UpcasterRunner::FindTarget find_target, std::uint64_t registry_changes);

  // Runs the script on all events. `shape` brings an event to the version that the script starts from; nullptr: the
  // events are given, with data of that version. The trial ends early when the budget does.
  TrialReport run(const TrialEvents& events, const ShapeForTrial* shape, WorkBudget& budget);

  std::optional<std::uint32_t> checked_against() const;

 private:
  struct WithSchemas;
  using Parts = std::vector<std::pair<std::string, std::string>>;
  struct Made {
    std::string before;
    Parts after;
  };

  UpcasterTrial() = default;
  void take(std::size_t index, const TrialEvents& events, const ShapeForTrial* shape, TrialReport& report);
  ScriptResult<Made> upcast(const EventView& event, const ShapedEvent& part);
  ScriptResult<Parts> upcast_with_schemas(const EventView& event, std::string_view before);
  ScriptError error(std::string message, int line = 0) const;

  std::string source_;
  std::string file_;
  std::unique_ptr<JsonUpcast> script_;
  FieldRecorder recorder_;
  std::unique_ptr<JsonUpcast> recording_;
  std::shared_ptr<WithSchemas> schemas_;
};

}  // namespace cairn

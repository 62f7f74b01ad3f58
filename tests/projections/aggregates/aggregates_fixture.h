#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "projections/aggregates/aggregate_states.h"
#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {

// A script for the category "order" around its handlers.
inline std::string aggregate(const std::string& handlers, const std::string& more = "") {
  return "return aggregate {\n  category = \"order\"," + more + "\n  on = {\n" + handlers + "\n  },\n}\n";
}

// Counts events and adds up their cents.
inline const std::string kSum = aggregate(
    "    Added = function(state, event) state.n = state.n + 1; state.sum = state.sum + event.data.cents end,",
    " initial = function() return { n = 0, sum = 0 } end,");

// Fixture of the aggregates' tests: a store with aggregates, and the states of its streams.
class AggregatesTest : public UpcastersTest {
 protected:
  ~AggregatesTest() override { states_.reset(); }

  AggregateStates& states() {
    if (states_ == nullptr) {
      auto opened = AggregateStates::open(store(), shapes(), options_of_states_);
      EXPECT_THAT(opened, succeeds());
      states_ = *std::move(opened);
    }
    return *states_;
  }
  void without_automatic_snapshots() {
    options_of_states_.automatic = AggregateStatesOptions::Automatic::kNo;
  }
  void restart_states() {
    states_.reset();
    restart();
  }
  void close_states() {
    states_.reset();
    close_all();
  }

  // "deployed 1", "unchanged 1", or why not.
  std::string deploy_aggregate(const std::string& source) {
    const auto outcome = states().aggregates().deploy({.source = source, .file = "test.lua"});
    if (outcome) {
      return (outcome->unchanged ? "unchanged " : "deployed ") + std::to_string(outcome->definition.revision);
    }
    const AggregateRefusal& refusal = outcome.error();
    if (const auto* script = std::get_if<ScriptError>(&refusal)) return "script: " + script->text();
    if (const auto* wrong = std::get_if<WrongCategory>(&refusal)) return "category: " + wrong->message;
    return "store: " + std::get<Error>(refusal).message;
  }
  void has_aggregate(const std::string& source) {
    const std::string told = deploy_aggregate(source);
    EXPECT_TRUE(told.starts_with("deployed")) << told;
  }

  // Appends `count` events Added without a schema, whose cents are 1, 2, 3, … from `first` on.
  void added(const std::string& stream, std::uint64_t count, std::uint64_t first = 1) {
    std::vector<NewEvent> events;
    for (std::uint64_t i = 0; i < count; ++i) {
      events.push_back(event("Added", "{\"cents\":" + std::to_string(first + i) + "}"));
      if (events.size() == 5'000 || i + 1 == count) append(stream, std::exchange(events, {}));
    }
  }

  StateResult<StreamState> state_of(const std::string& stream, StateQuery query = {}) {
    return states().state_at(stream, query);
  }
  StreamState found(const std::string& stream, StateQuery query = {}) {
    auto state = state_of(stream, query);
    if (!state) {
      ADD_FAILURE() << state.error().message;
      return {};
    }
    return *std::move(state);
  }
  // "{…} after 5, 2 folded behind 3", or "problem: …".
  std::string told(const std::string& stream, StateQuery query = {}) {
    const auto state = state_of(stream, query);
    if (!state) return "problem: " + state.error().message;
    return state->json + " after " + std::to_string(state->version.value) + ", " +
           std::to_string(state->events_folded) + " folded behind " +
           std::to_string(state->snapshot_version.value);
  }
  // The JSON alone.
  std::string json_at(const std::string& stream, StateQuery query = {}) { return found(stream, query).json; }

  static StateQuery at(std::uint64_t version) { return StateQuery::at_version({version}); }

  // Makes a snapshot of a stream and returns its version, or 0.
  std::uint64_t snapshot(const std::string& stream) {
    const auto made = states().snapshot_stream(stream);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return 0;
    }
    return made->version.value;
  }
  std::vector<std::uint64_t> snapshots_of(const std::string& stream) {
    std::vector<std::uint64_t> versions;
    for (const auto& one : value_of(states().snapshots(stream))) versions.push_back(one.version.value);
    return versions;
  }
  void wait_for_snapshots() { ASSERT_TRUE(states().wait_for_snapshots(std::chrono::seconds(60))); }
  std::uint64_t misses(SnapshotMiss why) {
    return states().stats().snapshot_misses[static_cast<std::size_t>(why)];
  }

 private:
  AggregateStatesOptions options_of_states_;
  std::unique_ptr<AggregateStates> states_;
};

}  // namespace cairn::test

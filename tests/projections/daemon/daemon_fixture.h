#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "projections/daemon/projection_daemon.h"
#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {

// A script around its handlers.
inline std::string projection(const std::string& handlers, const std::string& more = "") {
  return "return projection {" + more + "\n  on = {\n" + handlers + "\n  },\n}\n";
}

// Counts events and adds up their cents, by the customer they name.
inline const std::string kByCustomer = projection(
    "    Added = function(row, event)\n"
    "      row.n = (row.n or 0) + 1\n"
    "      row.sum = (row.sum or 0) + event.data.cents\n"
    "    end,",
    " key = function(event) return event.data.customer end,");

// The rows of a projection, as JSON by their keys.
using Rows = std::map<std::string, std::string>;

// A store with a daemon that is stepped by run_once(), on a manual clock.
class DaemonTest : public UpcastersTest {
 protected:
  DaemonTest() {
    daemon_options_.threads = 2;
    daemon_options_.clock = clock().function();
    daemon_options_.on_log = [this](const LogEvent& event) {
      const std::lock_guard lock(said_mutex_);
      said_.push_back(event.message);
      lines_.push_back(event);
    };
  }
  ~DaemonTest() override { daemon_.reset(); }

  ProjectionDaemon& daemon() {
    if (daemon_ == nullptr) {
      auto opened = ProjectionDaemon::open(store(), shapes(), folder(), daemon_options_);
      EXPECT_THAT(opened, succeeds());
      daemon_ = *std::move(opened);
    }
    return *daemon_;
  }
  DaemonOptions& daemon_options() { return daemon_options_; }
  void close_daemon() { daemon_.reset(); }
  void restart_daemon() {
    daemon_.reset();
    restart();
    daemon();
  }

  // "deployed 1", "unchanged 1", or the error.
  std::string deploy_projection(const std::string& name, const std::string& source, bool keep_rows = false) {
    const auto outcome = daemon().deploy({name, source, name + ".lua", keep_rows});
    if (outcome) {
      return (outcome->unchanged ? "unchanged " : "deployed ") + std::to_string(outcome->definition.revision);
    }
    const ProjectionRefusal& refusal = outcome.error();
    if (const auto* script = std::get_if<ScriptError>(&refusal)) return "script: " + script->text();
    return "store: " + std::get<Error>(refusal).message;
  }
  void has_projection(const std::string& name, const std::string& source) {
    const std::string told = deploy_projection(name, source);
    EXPECT_TRUE(told.starts_with("deployed")) << told;
  }

  // Writes to $definitions as another version of the program might.
  void write_definition(NewEvent event) {
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back({"$definitions", ExpectedVersion::any(), {std::move(event)}});
    EXPECT_THAT(submit(std::move(request)), succeeds());
  }

  // Steps until there is nothing to do.
  void settle() {
    while (daemon().run_once()) {
    }
  }

  void added(const std::string& stream, const std::string& customer, std::int64_t cents) {
    append(stream, {event("Added", added_json(customer, cents))});
  }
  static std::string added_json(const std::string& customer, std::int64_t cents) {
    return R"({"customer":")" + customer + R"(","cents":)" + std::to_string(cents) + "}";
  }

  ProjectionStatus status(const std::string& name) {
    const auto found = daemon().status(name);
    EXPECT_TRUE(found.has_value()) << name;
    return found.value_or(ProjectionStatus{});
  }
  std::string state(const std::string& name) { return std::string(to_string(status(name).state)); }

  // All rows, page by page.
  Rows rows(const std::string& name, bool partial = false, std::size_t page = 3) {
    Rows found;
    RowsQuery query;
    query.limit = page;
    query.partial = partial;
    while (true) {
      const auto answer = daemon().rows(name, query);
      EXPECT_THAT(answer, succeeds());
      if (!answer) return found;
      for (const auto& row : answer->rows) EXPECT_TRUE(found.emplace(row.key, row.json).second) << row.key;
      if (!answer->next) return found;
      query.after = *answer->next;
    }
  }
  // One row, or "none".
  std::string row(const std::string& name, const std::string& key) {
    const auto answer = daemon().row(name, key, false);
    EXPECT_THAT(answer, succeeds());
    return answer && answer->json ? *answer->json : "none";
  }

  // "key@position: message" of what is parked, with how many wait.
  std::vector<std::string> parked(const std::string& name) {
    std::vector<std::string> found;
    for (const ParkedKey& key : value_of(daemon().parked(name, "", 100)).keys) {
      found.push_back((key.by_stream ? "stream " : "") + key.key + "@" + std::to_string(key.position.value) +
                      " +" + std::to_string(key.events - 1) + " " + key.kind);
    }
    return found;
  }
  std::vector<std::uint64_t> waiting(const std::string& name, const std::string& key) {
    std::vector<std::uint64_t> positions;
    for (const auto& detail : value_of(daemon().parked_key(name, key))) {
      for (const GlobalPosition position : detail.positions) positions.push_back(position.value);
    }
    return positions;
  }

  // The lines of the log: their messages, and all of them.
  std::vector<std::string> said() {
    const std::lock_guard lock(said_mutex_);
    return said_;
  }
  std::vector<LogEvent> lines(std::string_view code) {
    const std::lock_guard lock(said_mutex_);
    std::vector<LogEvent> found;
    for (const LogEvent& line : lines_) {
      if (line.code == code) found.push_back(line);
    }
    return found;
  }

 private:
  DaemonOptions daemon_options_;
  std::mutex said_mutex_;
  std::vector<std::string> said_;
  std::vector<LogEvent> lines_;
  std::unique_ptr<ProjectionDaemon> daemon_;
};

}  // namespace cairn::test

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projections/daemon/projection_daemon.h"

namespace cairn::test {

// A daemon that answers from its members, for answers that are hard to provoke from the real one. It has one
// projection, whose name is in `status_`. Thread-safe; a test sets the members before the first call.
class FakeDaemon final : public ProjectionDaemon {
 public:
  struct Wait {
    GlobalPosition position;
    std::chrono::milliseconds timeout;
    std::function<void(bool)> done;
  };

  ProjectionStatus status_;
  std::optional<ProjectionDefinition> definition_;
  std::optional<RowsVerification> report_;
  std::optional<ProjectionRefusal> refusal_;  // of what is deployed
  std::optional<Error> error_;                // of all else that can fail
  bool unchanged_ = false;
  std::map<std::string, std::string> rows_;
  bool partial_ = false;  // the only rows are those of a generation that is being built
  std::vector<ParkedKeyDetail> parked_;
  RetryReport retried_;
  std::optional<RedriveReport> redrive_;

  // All calls so far.
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

  void start() override {}
  // Ends all waits.
  void stop() override {
    std::vector<Wait> waits;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      waits.swap(waits_);
    }
    for (const Wait& wait : waits) wait.done(false);
  }
  bool run_once() override { return false; }
  Status add(std::shared_ptr<const Projection>) override { return {}; }

  Result<ProjectionDeployment, ProjectionRefusal> deploy(const ProjectionDraft& draft) override {
    note("deploy " + draft.name + " " + draft.file + " " + draft.source);
    if (refusal_) return *refusal_;
    return ProjectionDeployment{*definition_, unchanged_};
  }
  Status remove(const std::string& name, const RequestOrigin&) override {
    note("remove " + name);
    if (const auto error = fault(name)) return *error;
    return {};
  }

  std::vector<ProjectionStatus> list() const override { return {status(status_.name).value()}; }
  std::optional<ProjectionStatus> status(const std::string& name) const override {
    const std::lock_guard lock(mutex_);
    return name == status_.name ? std::optional(status_) : std::nullopt;
  }
  std::optional<ProjectionDefinition> definition(const std::string&) const override { return definition_; }

  Result<ProjectionStatus> rebuild(const std::string& name, std::optional<std::uint64_t> at_most,
                                   const RequestOrigin&) override {
    return changed("rebuild" + (at_most ? " " + std::to_string(*at_most) : ""), name);
  }
  Result<ProjectionStatus> cancel(const std::string& name, const RequestOrigin&) override {
    return changed("cancel", name);
  }
  Result<ProjectionStatus> rollback(const std::string& name, const RequestOrigin&) override {
    return changed("rollback", name);
  }
  Result<ProjectionStatus> pause(const std::string& name, const RequestOrigin&) override {
    return changed("pause", name);
  }
  Result<ProjectionStatus> resume(const std::string& name, const RequestOrigin&) override {
    return changed("resume", name);
  }
  Result<ProjectionStatus> verify(const std::string& name) override { return changed("verify", name); }
  std::optional<RowsVerification> verify_report(const std::string&) const override { return report_; }

  Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) override {
    if (const auto error = fault(name, partial)) return *error;
    const std::lock_guard lock(mutex_);
    const auto found = rows_.find(key);
    return RowAnswer{status_.position, status_.generation, partial_,
                     found == rows_.end() ? std::nullopt : std::optional(found->second)};
  }
  Result<RowsAnswer> rows(const std::string& name, const RowsQuery& query) override {
    note("rows '" + query.prefix + "' '" + query.after + "' " + std::to_string(query.limit));
    if (const auto error = fault(name, query.partial)) return *error;
    const std::lock_guard lock(mutex_);
    RowsAnswer answer{status_.position, status_.generation, partial_, {}, {}};
    for (const auto& [key, json] : rows_) {
      if (!key.starts_with(query.prefix) || (!query.after.empty() && key <= query.after)) continue;
      if (answer.rows.size() == query.limit) {
        answer.next = answer.rows.back().key;
        break;
      }
      answer.rows.push_back({key, json});
    }
    return answer;
  }

  void wait_for(const std::string&, GlobalPosition position, std::chrono::milliseconds timeout,
                std::function<void(bool)> done) override {
    {
      const std::lock_guard lock(mutex_);
      if (!stopped_ && status_.position < position) {
        waits_.push_back({position, timeout, std::move(done)});
        waited_.notify_all();
        return;
      }
    }
    done(!stopped_);
  }
  // Waits until there are `count` waits, and takes them.
  std::vector<Wait> take_waits(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(waited_.wait_for(lock, std::chrono::seconds(30), [&] { return waits_.size() >= count; }));
    return std::exchange(waits_, {});
  }
  // Moves the rows to this position.
  void reach(std::uint64_t position) {
    const std::lock_guard lock(mutex_);
    status_.position = {position};
  }

  Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) override {
    note("parked '" + after + "' " + std::to_string(limit));
    if (const auto error = fault(name)) return *error;
    ParkedList list;
    for (const ParkedKeyDetail& detail : parked_) list.keys.push_back(detail.parked);
    if (!list.keys.empty()) list.next = list.keys.back().key;
    return list;
  }
  Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name, const std::string& key) override {
    note("parked_key " + key);
    if (const auto error = fault(name)) return *error;
    return parked_;
  }
  Result<RedriveReport> start_redrive(const std::string& name, const RedriveOptions& options,
                                      const RequestOrigin&) override {
    note("redrive " + std::to_string(options.keys_per_second.value_or(0)) + " " +
         std::to_string(options.stop_after_failures.value_or(0)) + (options.dry_run ? " dry" : ""));
    if (const auto error = fault(name)) return *error;
    return redrive_.value_or(RedriveReport{});
  }
  Result<RedriveReport> cancel_redrive(const std::string& name, const RequestOrigin&) override {
    note("cancel_redrive");
    if (const auto error = fault(name)) return *error;
    return redrive_.value_or(RedriveReport{});
  }
  std::optional<RedriveReport> redrive(const std::string&) const override { return redrive_; }
  Result<RetryReport> retry(const std::string& name, const std::optional<std::string>& key,
                            const RequestOrigin&) override {
    note("retry " + key.value_or("all"));
    if (const auto error = fault(name)) return *error;
    return retried_;
  }
  Result<RetryReport> skip(const std::string& name, const std::string& key, const std::string& reason,
                           const RequestOrigin&) override {
    note("skip " + key + ": " + reason);
    if (const auto error = fault(name)) return *error;
    return retried_;
  }

 private:
  void note(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  std::optional<Error> fault(const std::string& name, bool partial = true) const {
    if (name != status_.name) return make_error(Errc::kNotFound, "no such projection");
    if (!partial && partial_) return make_error(Errc::kFailedPrecondition, "being built");
    return error_;
  }
  Result<ProjectionStatus> changed(const std::string& what, const std::string& name) {
    note(what + " " + name);
    if (const auto error = fault(name)) return *error;
    return status_;
  }

  mutable std::mutex mutex_;
  std::condition_variable waited_;
  std::vector<std::string> calls_;
  std::vector<Wait> waits_;
  bool stopped_ = false;
};

}  // namespace cairn::test

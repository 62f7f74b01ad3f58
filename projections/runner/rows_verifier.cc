#include "projections/runner/rows_verifier.h"

#include <system_error>
#include <utility>

#include "projections/readmodel/lmdb_read_model.h"

namespace cairn {

namespace {

constexpr std::size_t kPageRows = 1'000;
constexpr std::size_t kDifferencesMax = 100;

// Iterates over the rows of a read model in key order.
class RowCursor {
 public:
  explicit RowCursor(ReadModel& model) : model_(model) {}

  // Moves to the next row; nullptr after the last one.
  Result<const SavedRow*> next() {
    while (true) {
      if (at_ < page_.rows.size()) return &page_.rows[at_++];
      if (started_ && !page_.next) return static_cast<const SavedRow*>(nullptr);
      SavedRowsQuery query;
      query.limit = kPageRows;
      if (started_) query.after = *page_.next;
      CAIRN_TRY(page_, model_.rows(query));
      started_ = true;
      at_ = 0;
    }
  }

 private:
  ReadModel& model_;
  SavedRows page_;
  std::size_t at_ = 0;
  bool started_ = false;
};

Result<std::optional<std::string>> json_of(const Projection& projection, const SavedRow* row) {
  if (row == nullptr) return std::optional<std::string>();
  std::string json;
  CAIRN_CHECK(projection.append_json(row->saved, json));
  return std::optional(std::move(json));
}

Status add_difference(const Projection& projection, const SavedRow* live, const SavedRow* rebuilt,
                      RowsVerification& report) {
  if (live == nullptr) ++report.missing;
  if (rebuilt == nullptr) ++report.extra;
  if (live != nullptr && rebuilt != nullptr) ++report.different;
  if (report.differences.size() == kDifferencesMax) return {};
  RowDifference difference;
  difference.key = live != nullptr ? live->key : rebuilt->key;
  CAIRN_TRY(difference.live, json_of(projection, live));
  CAIRN_TRY(difference.rebuilt, json_of(projection, rebuilt));
  report.differences.push_back(std::move(difference));
  return {};
}

// Merges two read models of a projection by key and adds each difference to the report.
// REQUIRES: neither changes meanwhile.
Status compare_rows(const Projection& projection, ReadModel& live, ReadModel& rebuilt,
                    RowsVerification& report) {
  RowCursor live_rows(live);
  RowCursor rebuilt_rows(rebuilt);
  CAIRN_TRY(const SavedRow* a, live_rows.next());
  CAIRN_TRY(const SavedRow* b, rebuilt_rows.next());
  while (a != nullptr || b != nullptr) {
    ++report.rows;
    const bool take_a = a != nullptr && (b == nullptr || a->key <= b->key);
    const bool take_b = b != nullptr && (a == nullptr || b->key <= a->key);
    if (!take_a || !take_b || a->saved != b->saved) {
      CAIRN_CHECK(add_difference(projection, take_a ? a : nullptr, take_b ? b : nullptr, report));
    }
    if (take_a) {
      CAIRN_TRY(a, live_rows.next());
    }
    if (take_b) {
      CAIRN_TRY(b, rebuilt_rows.next());
    }
  }
  return {};
}

}  // namespace

Status RowsVerifier::start(const Generation& live, std::filesystem::path folder,
                           std::shared_ptr<const SkippedEvents> skipped) {
  CAIRN_ASSERT(!runs());
  folder_ = std::move(folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  ReadModelIdentity identity = live.model()->identity();
  identity.made_at = tools_.options.clock();
  CAIRN_TRY(std::shared_ptr<ReadModel> model, LmdbReadModel::create(folder_, identity));
  CAIRN_TRY(shadow_, Generation::open(tools_, live.shared_projection(), std::move(model)));
  shadow_->set_skipped(std::move(skipped));
  RowsVerification report;
  report.target = live.taken();
  report.started_at = tools_.options.clock();
  publish(std::move(report));
  return {};
}

void RowsVerifier::step(const Generation& live) {
  CAIRN_ASSERT(runs());
  if (live.projection().info().fingerprint != shadow_->projection().info().fingerprint) {
    return fail("another definition took over meanwhile");
  }
  if (shadow_->taken() > live.taken()) return fail("the live generation went back");
  if (shadow_->taken() < live.taken()) {
    if (const Status built = build(live); !built) fail(built.error().message);
    return;
  }
  auto result = compare(live);
  if (!result) return fail(result.error().message);
  end(*std::move(result));
}

void RowsVerifier::follow_skipped(std::shared_ptr<const SkippedEvents> skipped) {
  if (!runs()) return;
  Status status = shadow_->follow_skipped(std::move(skipped));
  if (status) status = shadow_->release_skipped();
  if (!status) fail(status.error().message);
}

void RowsVerifier::stop(std::string_view why) {
  if (runs()) fail(why);
}

void RowsVerifier::fail(std::string_view why) {
  RowsVerification result = *report();
  result.stage = RowsVerification::Stage::kFailed;
  result.error = why;
  end(std::move(result));
}

// Applies the next batch of the log.
Status RowsVerifier::build(const Generation& live) {
  const GlobalPosition taken = shadow_->taken();
  const auto positions_max = pace_.positions_max();
  const GlobalPosition to =
      positions_max ? std::min(live.taken(), GlobalPosition{taken.value + *positions_max}) : live.taken();
  CAIRN_TRY(const auto batch, tools_.source.read_alone(taken, to, shadow_->filter()));
  if (!shadow_->suits(*batch)) return {};
  if (Status status = take_paced(tools_, *shadow_, *batch, pace_, SaveChanges::kNo); !status) {
    if (status.error().code == Errc::kCancelled) return {};  // The next step repeats it.
    return status;
  }
  if (shadow_->commit_due()) CAIRN_CHECK(shadow_->commit());
  RowsVerification progress = *report();
  progress.position = shadow_->taken();
  progress.target = live.taken();
  publish(std::move(progress));
  return {};
}

Result<RowsVerification> RowsVerifier::compare(const Generation& live) {
  CAIRN_CHECK(shadow_->commit());
  RowsVerification result = *report();
  result.stage = RowsVerification::Stage::kComparing;
  result.position = result.target = live.taken();
  publish(result);
  CAIRN_CHECK(compare_rows(live.projection(), *live.model(), *shadow_->model(), result));
  result.stage = RowsVerification::Stage::kDone;
  return result;
}

// Removes the shadow build, then shows the result.
void RowsVerifier::end(RowsVerification result) {
  shadow_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  result.seconds = static_cast<double>(tools_.options.clock().micros - result.started_at.micros) / 1e6;
  publish(std::move(result));
}

void RowsVerifier::publish(RowsVerification report) {
  const MutexLock lock(mutex_);
  report_ = std::move(report);
}

std::optional<RowsVerification> RowsVerifier::report() const {
  const MutexLock lock(mutex_);
  return report_;
}

}  // namespace cairn

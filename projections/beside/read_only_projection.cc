#include "projections/beside/read_only_projection.h"

#include <fmt/format.h>

#include <utility>

namespace cairn {

namespace {

// A generation that the record names may be removed before it is opened, because another one took over; then
// there is a newer record to read. Take-overs cannot happen this often in a row.
constexpr int kReadsMax = 10;

}  // namespace

std::shared_ptr<const ReadOnlyView> ReadOnlyProjection::view() {
  const auto now = std::chrono::steady_clock::now();
  std::shared_ptr<const ReadOnlyView> before;  // Released after the lock: that may close a file.
  const MutexLock lock(mutex_);
  if (view_ != nullptr && now - checked_at_ < kCheckEvery) return view_;
  checked_at_ = now;
  if (is_certain_ && FileMark::of(folder_ / ProjectionFolder::kRecordFile) == mark_) return view_;
  before = std::exchange(view_, read());
  return view_;
}

std::shared_ptr<const ReadOnlyView> ReadOnlyProjection::read() {
  auto view = std::make_shared<ReadOnlyView>();
  for (int reads = 1;; ++reads) {
    *view = {};
    mark_ = FileMark::of(folder_ / ProjectionFolder::kRecordFile);
    const auto folder = ProjectionFolder::open(folder_);
    // The file may have been replaced between the two calls.
    is_certain_ = folder.ok() && mark_ == FileMark::of(folder_ / ProjectionFolder::kRecordFile);
    if (!folder) {
      view->fault = folder.error().message;
      return view;
    }
    view->record = folder->record();
    bool gone = false;
    const auto open_one = [&](std::optional<std::uint64_t> number, std::optional<ReadOnlyGeneration>& to) {
      if (!number) return;
      auto opened = open(view->record, *number);
      if (opened) {
        to = *std::move(opened);
        return;
      }
      gone = gone || opened.error().code == Errc::kNotFound;
      if (number == view->record.live) view->fault = opened.error().message;
    };
    open_one(view->record.live, view->live);
    open_one(view->record.building, view->building);
    is_certain_ = is_certain_ && !gone;
    if (!gone || reads == kReadsMax) return view;
  }
}

Result<ReadOnlyGeneration> ReadOnlyProjection::open(const ProjectionRecord& record, std::uint64_t number) {
  const auto code = record.code.find(number);
  if (code == record.code.end()) {
    return make_error(Errc::kCorruption, "the record does not say which definition built it");
  }
  ReadOnlyGeneration generation;
  generation.number = number;
  generation.shapes = code->second.shapes;
  CAIRN_TRY(generation.model, models_.open(folder_ / std::to_string(number)));
  if (generation.model->identity().store_id != store_id_) {
    return make_error(Errc::kFailedPrecondition,
                      fmt::format("generation {} was built from the events of another store", number));
  }
  generation.projection = make_(code->second);
  if (generation.projection == nullptr) {
    return make_error(Errc::kFailedPrecondition,
                      fmt::format("this program cannot show the rows of generation {}", number));
  }
  return generation;
}

}  // namespace cairn

#include "projections/beside/built_projection.h"

#include <utility>

namespace cairn {

namespace {

// A generation that a record names may be gone when it is opened, because another one took over; then there
// is a newer record. Nobody can take over this often meanwhile.
constexpr int kLooksMax = 10;

}  // namespace

std::shared_ptr<const BuiltView> BuiltProjection::look() {
  const auto now = std::chrono::steady_clock::now();
  std::shared_ptr<const BuiltView> before;  // Let go behind the lock: it may close a file.
  const std::lock_guard lock(mutex_);
  if (view_ != nullptr && now - looked_at_ < kLookEvery) return view_;
  looked_at_ = now;
  if (is_certain_ && FileMark::of(folder_ / ProjectionFolder::kRecordFile) == mark_) return view_;
  before = std::exchange(view_, read());
  return view_;
}

std::shared_ptr<const BuiltView> BuiltProjection::read() {
  auto view = std::make_shared<BuiltView>();
  for (int looks = 1;; ++looks) {
    *view = {};
    mark_ = FileMark::of(folder_ / ProjectionFolder::kRecordFile);
    const auto folder = ProjectionFolder::open(folder_);
    // It may have been replaced between the two.
    is_certain_ = folder.ok() && mark_ == FileMark::of(folder_ / ProjectionFolder::kRecordFile);
    if (!folder) {
      view->fault = folder.error().message;
      return view;
    }
    view->record = folder->record();
    bool gone = false;
    const auto open_one = [&](std::optional<std::uint64_t> number, std::optional<BuiltGeneration>& to) {
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
    if (!gone || looks == kLooksMax) return view;
  }
}

Result<BuiltGeneration> BuiltProjection::open(const ProjectionRecord& record, std::uint64_t number) {
  const auto code = record.code.find(number);
  if (code == record.code.end()) return make_error(Errc::kCorruption, "nothing says how it was made");
  BuiltGeneration generation;
  generation.number = number;
  generation.shapes = code->second.shapes;
  CAIRN_TRY(generation.model, models_.open(folder_ / std::to_string(number)));
  if (generation.model->identity().store_id != store_id_) {
    return make_error(Errc::kFailedPrecondition,
                      "generation " + std::to_string(number) + " was made of the events of another store");
  }
  generation.projection = make_(code->second);
  if (generation.projection == nullptr) {
    return make_error(Errc::kFailedPrecondition,
                      "this program cannot show the rows of generation " + std::to_string(number));
  }
  return generation;
}

}  // namespace cairn

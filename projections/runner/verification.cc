#include "projections/runner/verification.h"

#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kPageRows = 1'000;
constexpr std::size_t kDifferencesMax = 100;

// The rows of a read model one after the other.
class RowWalk {
 public:
  explicit RowWalk(ReadModel& model) : model_(model) {}

  // Moves to the next row; nullptr behind the last one.
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

Status note(const Projection& projection, const SavedRow* live, const SavedRow* rebuilt,
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

}  // namespace

Status compare_rows(const Projection& projection, ReadModel& live, ReadModel& rebuilt,
                    RowsVerification& report) {
  RowWalk live_rows(live);
  RowWalk rebuilt_rows(rebuilt);
  CAIRN_TRY(const SavedRow* a, live_rows.next());
  CAIRN_TRY(const SavedRow* b, rebuilt_rows.next());
  while (a != nullptr || b != nullptr) {
    ++report.rows;
    const bool take_a = a != nullptr && (b == nullptr || a->key <= b->key);
    const bool take_b = b != nullptr && (a == nullptr || b->key <= a->key);
    if (!take_a || !take_b || a->saved != b->saved) {
      CAIRN_CHECK(note(projection, take_a ? a : nullptr, take_b ? b : nullptr, report));
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

}  // namespace cairn

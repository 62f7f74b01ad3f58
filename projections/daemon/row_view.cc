#include "projections/daemon/row_view.h"

#include <utility>

namespace cairn {

Result<RowAnswer> read_row(ReadModel& model, const Projection& projection, const std::string& key) {
  CAIRN_TRY(const auto found, model.row(key));
  RowAnswer answer;
  answer.generation = model.identity().generation;
  answer.position = found.first;
  if (!found.second) return answer;
  answer.json.emplace();
  CAIRN_CHECK(projection.append_json(*found.second, *answer.json));
  return answer;
}

Result<RowsAnswer> read_rows(ReadModel& model, const Projection& projection, const RowsQuery& query) {
  SavedRowsQuery wanted;
  wanted.prefix = query.prefix;
  wanted.after = query.after;
  wanted.limit = query.limit;
  CAIRN_TRY(SavedRows page, model.rows(wanted));
  RowsAnswer answer;
  answer.generation = model.identity().generation;
  answer.position = page.position;
  for (SavedRow& row : page.rows) {
    RowsAnswer::Row shown{std::move(row.key), {}};
    CAIRN_CHECK(projection.append_json(row.saved, shown.json));
    answer.rows.push_back(std::move(shown));
  }
  answer.next = std::move(page.next);
  return answer;
}

}  // namespace cairn
